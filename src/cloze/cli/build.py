"""`cloze build`: from stories with highlights to a corpus of anonymised cloze questions."""

from pathlib import Path

import typer

from cloze.builder.sources import described
from cloze.names.language import NEWEST_RULES, RULES, known_languages


def build(
    paths: list[str] = typer.Argument(
        ...,
        metavar="[SPLIT=]SOURCE... OUT",
        help=f"One or more sources of stories, and the corpus folder to make. A source is one of: "
        f"{described()}. SPLIT= in front of a source puts all its stories into that split.",
    ),
    spans: list[Path] = typer.Option(
        [],
        help="Entity spans made by cloze annotate: one file for each source, in the same order, or "
        "one folder that holds a file of the same name for each source.",
    ),
    split: str = typer.Option(
        "hash:valid=5,test=5",
        help="For sources without SPLIT=: months:valid=2015-03,test=2015-04, "
        "ids:valid=FILE,test=FILE, hash:valid=5,test=5 (per cent) or the name of one split. "
        "The rest is train.",
    ),
    pipeline: str | None = typer.Option(
        None, help="The spaCy pipeline that finds the entities (default: the language's best)."
    ),
    language: str = typer.Option(
        "en", help=f"The code of the language: {', '.join(known_languages())}."
    ),
    rules: int = typer.Option(
        RULES,
        min=1,
        max=NEWEST_RULES,
        help="The set of rules for names; 2 suits text unlike the news better.",
    ),
    columns: str = typer.Option(
        "", help="What columns are called in tables: article=text,highlights=summary,id=key."
    ),
    titles: bool = typer.Option(
        False,
        "--titles",
        help="Web pages without bullets: take the title and the standfirst instead.",
    ),
    page_seconds: int = typer.Option(
        30, min=0, help="Computing time for one web page, in a process of its own (0: no limit)."
    ),
    fundus: str | None = typer.Option(
        None,
        metavar="PYTHON",
        help="Web pages: a Python with Fundus, which knows many publishers (outside/fundus).",
    ),
    name: str | None = typer.Option(None, help="The corpus's name (default: that of OUT)."),
    workers: int = typer.Option(0, min=0, help="Processes (default: one per core)."),
    overwrite: bool = typer.Option(False, help="Replace OUT if it is there."),
) -> None:
    """Build a corpus of cloze questions from stories with bullet-point highlights.

    A table has an article and its highlights in each row; all but Parquet may be compressed (.gz,
    .zst, .xz). Web archives come from cloze fetch or from any crawler that writes WARC. Entities
    are found by a spaCy pipeline or taken from ready spans, resolved, and replaced by markers;
    every named mention in a highlight becomes a question. If it is killed, run it again: it
    continues where it stopped.

    \b
        cloze build stories/ corpus/
        cloze build news.csv.gz corpus/ --columns article=body,highlights=summary
        cloze build news.jsonl corpus/ --split months:valid=2015-03,test=2015-04
        cloze build fetched/*.warc.gz corpus/ --titles
        cloze annotate news.jsonl spans/news.jsonl.zst        the slow step, once
        cloze build train=a.jsonl.zst valid=b.jsonl.zst corpus/ --spans spans/
    """
    import time

    from cloze.builder.build import build as run
    from cloze.builder.build_input import parse_sources
    from cloze.builder.sources import Columns, Reading
    from cloze.errors import UserError

    if len(paths) < 2:
        raise UserError("give at least one source and the folder to make")
    *given, out = paths
    started = time.monotonic()
    report = run(
        parse_sources(given, spans),
        Path(out),
        name=name,
        split_rule=split,
        columns=Columns.parse(columns),
        pages=Reading(titles=titles, seconds=page_seconds, fundus=fundus),
        pipeline=pipeline,
        language=language,
        rules=rules,
        workers=workers,
        overwrite=overwrite,
    )
    seconds = time.monotonic() - started
    typer.echo(report.table())
    if tokens := report.tokens.total():
        typer.echo(f"{tokens:,} tokens in {seconds:.0f} s: {tokens / seconds:,.0f} tokens/s")
