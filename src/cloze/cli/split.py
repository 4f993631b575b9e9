"""`cloze split`: cut a large file of stories into parts, for several machines to read."""

from pathlib import Path
from typing import Annotated

import typer


def split(
    source: Annotated[Path, typer.Argument(help="JSON lines, compressed or not.")],
    out: Annotated[Path, typer.Argument(help="The folder for the parts.")],
    stories: Annotated[int, typer.Option(min=1, help="Stories in each part.")] = 100_000,
    spans: Annotated[
        Path | None, typer.Option(help="Their spans, to be cut at the same stories.")
    ] = None,
    columns: Annotated[
        str, typer.Option(help="What columns are called: article=text,highlights=summary,id=key.")
    ] = "",
    overwrite: Annotated[bool, typer.Option(help="Replace OUT if it is there.")] = False,
) -> None:
    """Cut a large file into compressed parts, counted and hashed, that machines can share.

    A compressed file can only be read from its start. Lines are copied as they are; parts.json
    says how many are in each part, and its SHA-256.

    \b
        cloze split news.jsonl.zst parts/ --spans spans.jsonl.zst
        cloze build parts/*.zst corpus/ --spans parts/spans/ --shard 3/64
    """
    from cloze.builder.cut_file import cut_file
    from cloze.builder.sources import Columns

    made = cut_file(
        source,
        out,
        stories=stories,
        columns=Columns.parse(columns),
        spans=spans,
        overwrite=overwrite,
    )
    found = sum(part["stories"] for part in made.values())
    records = sum(part["records"] for part in made.values())
    typer.echo(f"{found:,} stories ({records:,} records) in {len(made):,} parts: {out}")
