"""`cloze annotate`: find the entity spans of stories once and for all."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cloze.builder.sources import described
from cloze.engines.address import ADDRESSES
from cloze.names.language import known_languages

if TYPE_CHECKING:
    from cloze.builder.annotate import Annotated
    from cloze.builder.sharded.annotate import Annotation


def annotate(
    source: Path = typer.Argument(..., help=f"The stories: {described()}."),
    out: Path = typer.Argument(..., help="The file of spans: .jsonl, or .jsonl.zst, .gz, .xz."),
    pipeline: str | None = typer.Option(
        None,
        help="What finds the names: a spaCy pipeline (default: the language's best), or encoder.",
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
    on: str = typer.Option(
        "processes", help=f"What to run on: {ADDRESSES}; its workers see the same paths."
    ),
    shard: str | None = typer.Option(
        None, metavar="I/N", help="Do only share I of N, on any machine that sees the files."
    ),
    store: str | None = typer.Option(
        None,
        help="Where the machines meet: a folder, or s3://bucket/folder if they share no disk "
        "(default: beside OUT).",
    ),
    finish: bool = typer.Option(False, "--finish", help="Make the file after every --shard."),
    overwrite: bool = typer.Option(False, help="Replace OUT if it is there."),
) -> None:
    """Find the entities of stories with a spaCy pipeline and keep their spans in a file.

    This is the slow step of building a corpus. With the file, cloze build runs in minutes and can
    be run again and again. If it is killed, run it again: it continues where it stopped.

    \b
        cloze annotate news.jsonl spans/news.jsonl.zst
        cloze annotate stories/ spans.jsonl.zst --pipeline en_core_web_trf
        cloze build news.jsonl corpus/ --spans spans/news.jsonl.zst
        cloze annotate news.jsonl spans.jsonl.zst --shard 3/64     on many machines: 1/64 to 64/64,
        cloze annotate news.jsonl spans.jsonl.zst --finish         and the file at the end
    """
    import time

    from cloze.builder.annotate import annotate_file
    from cloze.builder.sharded.annotate import Annotation
    from cloze.builder.sharded.tasks import check_ways
    from cloze.builder.sources import Columns, Reading
    from cloze.finding import pipeline_called

    check_ways(shard, finish, None if on == "processes" else on)
    started = time.monotonic()
    tagger = pipeline_called(pipeline, language)
    named, pages = Columns.parse(columns), Reading(titles=titles, fundus=fundus)
    work = Annotation(source, tagger, language, named, pages, out.suffix)
    if shard:
        _annotate_share(work, out, shard, workers, store)
        return
    if finish or on != "processes" or store is not None:
        found = _finish(work, out, on, workers, finish, overwrite, store)
    else:
        found = annotate_file(
            source,
            out,
            pipeline=tagger,
            language=language,
            columns=named,
            pages=pages,
            workers=workers,
            overwrite=overwrite,
        )
    seconds = time.monotonic() - started
    typer.echo(f"{found.stories:,} stories annotated in {seconds:.0f} s: {out}")
    if found.rejected:
        typer.echo(f"{found.rejected:,} records are not stories; cloze build says why")


def _annotate_share(
    work: "Annotation", out: Path, shard: str, workers: int, store: str | None
) -> None:
    from cloze.builder.sharded.annotate import annotate_share
    from cloze.builder.sharded.tasks import parse_share
    from cloze.engines.processes import on_processes

    number, of = parse_share(shard)
    stories = annotate_share(
        work, out, number=number, of=of, engine=on_processes(workers), store=store
    )
    typer.echo(f"shard {number} of {of}: {stories:,} stories; after all of them: --finish")


def _finish(
    work: "Annotation",
    out: Path,
    on: str,
    workers: int,
    finish: bool,
    overwrite: bool,
    store: str | None,
) -> "Annotated":
    from cloze.builder.sharded.annotate import finish as gather
    from cloze.engines.address import engine_at

    engine = None if finish else engine_at(on, workers)
    return gather(work, out, overwrite=overwrite, engine=engine, store=store)
