"""cloze search: try many values of a config and keep the best."""

from pathlib import Path
from typing import Annotated

import typer


def search(
    config: Annotated[
        Path, typer.Argument(help="A YAML search: a file, or one that ships, in search/.")
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="key=value, for every trial's config."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The study's folder; an existing one is joined.")
    ] = Path("search"),
) -> None:
    """Search over hyperparameters, by grid or by TPE; several processes may join one study.

    \b
    cloze search configs/search/tpe.yaml corpus=corpus --out runs/search
    cloze search configs/search/attention.yaml encoded=cnn-encoded run.minutes=20 --out runs/grid
    the same command again, now or later           joins the study or continues it
    """
    from cloze.extras import needs

    with needs("search"):
        from cloze.training.search import Search
        from cloze.training.search_report import outcome, report
    from cloze.shipped_configs import find_config
    from cloze.training.trainer import Interrupted

    made = Search(
        find_config(config), out, overrides or [], lambda line: typer.echo(line, err=True)
    )
    try:
        made.run()
    except Interrupted:
        typer.echo("interrupted; run the same command again to continue", err=True)
        raise
    finally:
        typer.echo(report(made))
    typer.echo(outcome(made))
