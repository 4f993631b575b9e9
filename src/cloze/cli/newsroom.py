from pathlib import Path
from typing import Annotated

import typer


def newsroom(
    out: Annotated[Path, typer.Argument(help="The corpus folder to make (with --raw: a file).")],
    stories: Annotated[int, typer.Option(min=1, help="Stories to train on.")] = 10_000,
    held_out: Annotated[int, typer.Option(min=1, help="Stories each in valid and test.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other news.")] = 1,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write raw stories and their gold instead of a corpus.")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing corpus.")] = False,
) -> None:
    """Make a corpus of synthetic news, to try everything on.

    \b
    cloze newsroom corpus/
    cloze newsroom small/ --stories 1000 --held-out 100 --seed 7
    cloze newsroom stories.jsonl --raw --stories 200     then: cloze build stories.jsonl corpus/
    """
    from cloze.newsroom.corpus import write_newsroom, write_raw

    if raw:
        write_raw(out, count=stories, seed=seed)
        typer.echo(f"{stories:,} stories in {out}, their gold in {out.with_suffix('.gold.jsonl')}")
        return
    counts = write_newsroom(out, count=stories, held_out=held_out, seed=seed, overwrite=overwrite)
    for split, found in counts.items():
        typer.echo(
            f"{split:5}  {found['documents']:,} documents  {found['questions']:,} questions"
            f"  ({found['dropped']:,} dropped: the answer is not in the context)"
        )
    typer.echo(f"corpus in {out}; look at it: cloze stats {out}")
