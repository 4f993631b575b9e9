"""`cloze build`: from stories with highlights to a corpus of anonymised cloze questions."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cloze.builder.sources import described
from cloze.engines.address import ADDRESSES
from cloze.names.language import NEWEST_RULES, RULES, known_languages

if TYPE_CHECKING:
    from cloze.builder.build_report import Report
    from cloze.builder.recipe import Recipe


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
        None,
        help="What finds the names: a spaCy pipeline (default: the language's best), or encoder.",
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
    on: str = typer.Option(
        "processes",
        help=f"What to run on: {ADDRESSES}. The workers of a cluster see the sources and OUT under "
        "the same paths.",
    ),
    shard: str | None = typer.Option(
        None, metavar="I/N", help="Do only share I of N, on any machine that sees the files."
    ),
    store: str | None = typer.Option(
        None,
        help="Where the machines meet: a folder, or s3://bucket/folder if they share no disk "
        "(default: beside OUT).",
    ),
    finish: bool = typer.Option(False, "--finish", help="Make the corpus after every --shard."),
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
        cloze build news.parquet corpus/ --on dask://10.0.0.1:8786      many machines
        cloze build news.parquet corpus/ --shard 3/64            or by hand: 1/64 to 64/64,
        cloze build news.parquet corpus/ --finish                and the corpus at the end
    """
    import time

    from cloze.builder.build_input import parse_sources
    from cloze.builder.recipe import Recipe
    from cloze.builder.sharded.tasks import check_ways
    from cloze.builder.sources import Columns, Reading
    from cloze.errors import UserError
    from cloze.finding import pipeline_called

    if len(paths) < 2:
        raise UserError("give at least one source and the folder to make")
    check_ways(shard, finish, None if on == "processes" else on)
    *given, out = paths
    recipe = Recipe(
        tuple(parse_sources(given, spans)),
        name or Path(out).resolve().name,
        split,
        Columns.parse(columns),
        pipeline_called(pipeline, language),
        language,
        rules,
        Reading(titles=titles, seconds=page_seconds, fundus=fundus),
    )
    started = time.monotonic()
    if shard:
        _build_shard(recipe, Path(out), shard, workers, store)
        return
    report = _build(recipe, Path(out), on, workers, finish, overwrite, store)
    seconds = time.monotonic() - started
    typer.echo(report.table())
    if tokens := report.tokens.total():
        typer.echo(f"{tokens:,} tokens in {seconds:.0f} s: {tokens / seconds:,.0f} tokens/s")


def _build(
    recipe: "Recipe",
    out: Path,
    on: str,
    workers: int,
    finish: bool,
    overwrite: bool,
    store: str | None,
) -> "Report":
    from cloze.builder.build import build_recipe
    from cloze.builder.sharded.build import finish as gather
    from cloze.engines.address import engine_at

    if on == "processes" and not finish and store is None:
        return build_recipe(recipe, out, workers=workers, overwrite=overwrite)
    engine = None if finish else engine_at(on, workers)
    return gather(recipe, out, overwrite=overwrite, engine=engine, store=store)


def _build_shard(recipe: "Recipe", out: Path, shard: str, workers: int, store: str | None) -> None:
    from cloze.builder.sharded.build import build_share
    from cloze.builder.sharded.tasks import parse_share
    from cloze.engines.processes import on_processes

    number, of = parse_share(shard)
    stories = build_share(
        recipe, out, number=number, of=of, engine=on_processes(workers), store=store
    )
    typer.echo(f"shard {number} of {of}: {stories:,} stories; after all of them: --finish")
