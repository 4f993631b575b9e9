"""The options of commands that several machines may share."""

from typing import Annotated

import typer

from cloze.engines.address import ADDRESSES

Workers = Annotated[
    int, typer.Option(min=0, help="Processes for --shard or --on ray (default: one per core).")
]
On = Annotated[
    str | None,
    typer.Option(help=f"What to run on: {ADDRESSES}; its workers see the same paths."),
]
Shard = Annotated[
    str | None,
    typer.Option(metavar="I/N", help="Do only share I of N, on any machine with the corpus."),
]
