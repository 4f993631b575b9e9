from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Where everything goes.")] = Path("demo"),
    stories: Annotated[int, typer.Option(min=20, help="Stories to train on.")] = 4_000,
    held_out: Annotated[int, typer.Option(min=10, help="Stories each in valid and test.")] = 150,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Training steps of each reader (default: 200 to 4,000)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other news.")] = 1,
) -> None:
    """The whole paper in miniature, from news to a page with tables, curves and heat maps.

    Makes synthetic news, turns it into cloze questions, answers them with the baselines and with
    the readers that come with the package, trains the paper's four readers and shows what they
    read. The page can be opened while they train. A few minutes on two cores.

    \b
    cloze demo
    cloze demo --out demo --stories 1000        a quicker one, with worse readers
    cloze demo --stories 40 --held-out 10 --steps 5     every part once, with readers that guess
    """
    from cloze.demo import demo as run

    run(out, stories=stories, held_out=held_out, seed=seed, steps=steps, say=typer.echo)
