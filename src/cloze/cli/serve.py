from typing import Annotated

import typer

from cloze.names.language import NEWEST_RULES, known_languages


def serve(
    context: typer.Context,
    models: Annotated[
        list[str] | None,
        typer.Argument(
            help="Models' folders, baselines or module:Class, to compare side by side.",
            show_default="ours",
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8015,
    host: Annotated[
        str, typer.Option(help="The address to listen on; only loopback keeps other machines out.")
    ] = "127.0.0.1",
    exact: Annotated[
        bool, typer.Option("--exact", help="Always multiply in 32 bits: slower.")
    ] = False,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="What finds the names: encoder (the default in English), or a spaCy pipeline."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help=f"The code of the language: {', '.join(known_languages())}.")
    ] = "en",
    rules: Annotated[
        int,
        typer.Option(min=1, max=NEWEST_RULES, help="The set of rules for names."),
    ] = NEWEST_RULES,
) -> None:
    """Ask a reader about your own articles in the browser.

    Without a model it serves the three small readers that come with the package.

    \b
    cloze serve
    cloze serve models/attentive models/impatient      compare the two
    cloze serve models/attentive word-distance         a reader and a baseline
    cloze serve models/attentive --port 9000
    """
    from rich.console import Console

    from cloze.ask.examples import examples
    from cloze.extras import needs
    from cloze.readers.shipped_models import shipped_models

    with needs("serve"):
        from cloze.ask.guard import Limits
        from cloze.ask.host import LOOPBACK
        from cloze.ask.reading_process import ReadingProcess
        from cloze.ask.reading_work import Loading
        from cloze.ask.running import bind, is_loopback, run
        from cloze.ask.server import create_app

    listening = bind(host, port)
    limits = Limits()
    words = models or [str(folder) for folder in shipped_models()]
    modules = context.parent.params["modules"] if context.parent else []
    with Console(stderr=True).status("loading the readers and the pipeline"):
        reading = ReadingProcess(
            Loading(words, limits.batch, pipeline, language, rules, modules, exact)
        )
    local = is_loopback(host)
    app = create_app(reading, examples(), limits=limits, hosts=LOOPBACK if local else None)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"

    def ready() -> None:
        if not local:
            typer.echo("warning: whoever can reach this machine can ask", err=True)
        names = ", ".join(card.name for card in reading.cards)
        typer.echo(f"{names}: {address} (Ctrl-C stops it)")

    run(app, listening, ready, reading)
    if reading.lost:
        typer.echo("error: the process of the readers was lost; start the server again", err=True)
        raise typer.Exit(1)
    typer.echo("stopped; every request was finished")
