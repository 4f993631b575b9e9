"""`cloze annotate`: find the entity spans of stories once and for all."""

from pathlib import Path

import typer

from cloze.builder.sources import described
from cloze.names.language import known_languages


def annotate(
    source: Path = typer.Argument(..., help=f"The stories: {described()}."),
    out: Path = typer.Argument(..., help="The file of spans: .jsonl, or .jsonl.zst, .gz, .xz."),
    pipeline: str | None = typer.Option(
        None, help="The spaCy pipeline that finds the entities (default: the language's best)."
    ),
    language: str = typer.Option(
        "en", help=f"The code of the language: {', '.join(known_languages())}."
    ),
    columns: str = typer.Option(
        "", help="What columns are called in tables: article=text,highlights=summary,id=key."
    ),
    titles: bool = typer.Option(
        False,
        "--titles",
        help="Web pages without bullets: take the title and the standfirst instead.",
    ),
    fundus: str | None = typer.Option(
        None, metavar="PYTHON", help="Web pages: a Python with Fundus (outside/fundus)."
    ),
    workers: int = typer.Option(0, min=0, help="Processes (default: one per core)."),
    overwrite: bool = typer.Option(False, help="Replace OUT if it is there."),
) -> None:
    """Find the entities of stories with a spaCy pipeline and keep their spans in a file.

    This is the slow step of building a corpus. With the file, cloze build runs in minutes and can
    be run again and again. If it is killed, run it again: it continues where it stopped.

    \b
        cloze annotate news.jsonl spans/news.jsonl.zst
        cloze annotate stories/ spans.jsonl.zst --pipeline en_core_web_trf
        cloze build news.jsonl corpus/ --spans spans/news.jsonl.zst
    """
    import time

    from cloze.builder.annotate import annotate_file
    from cloze.builder.sources import Columns, Reading

    started = time.monotonic()
    found = annotate_file(
        source,
        out,
        pipeline=pipeline,
        language=language,
        columns=Columns.parse(columns),
        pages=Reading(titles=titles, fundus=fundus),
        workers=workers,
        overwrite=overwrite,
    )
    seconds = time.monotonic() - started
    typer.echo(f"{found.stories:,} stories annotated in {seconds:.0f} s: {out}")
    if found.rejected:
        typer.echo(f"{found.rejected:,} records are not stories; cloze build says why")
