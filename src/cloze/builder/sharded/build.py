"""A corpus built on many machines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cloze.builder.build import REFUSED, build_chunk, make_corpus
from cloze.builder.build_report import Report
from cloze.builder.recipe import Fingerprints, Recipe
from cloze.builder.sharded import run
from cloze.builder.sharded.layout import count_records, read_layout, refused
from cloze.builder.sharded.pages import all_hosts
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.records import bring_all
from cloze.builder.work_folder import RESULT
from cloze.corpus.store import Corpus
from cloze.engines.engine import Engine
from cloze.files import whole_file


def build_share(
    recipe: Recipe, out: Path, *, number: int, of: int, engine: Engine, store: str | None = None
) -> int:
    """Share `number` of `of` (from 1) of a build, on this machine; returns its stories."""
    return run.do_share(recipe, build_chunk, out, number=number, of=of, engine=engine, store=store)


def finish(
    recipe: Recipe,
    out: Path,
    *,
    overwrite: bool,
    engine: Engine | None = None,
    store: str | None = None,
) -> Report:
    """Make the corpus of its shards, which are all there or are built now by an engine."""
    return run.finish(
        recipe,
        build_chunk,
        out,
        _gather,
        again=lambda: Report.of(Corpus.open(out)),
        overwrite=overwrite,
        engine=engine,
        store=store,
    )


def _gather(plan: Plan, work: Path, read: Fingerprints) -> Report:
    """The corpus in the work folder, made of shards that are what their records say."""
    assert isinstance(plan.work, Recipe)
    report = Report(stories=count_records(plan), hosts=all_hosts(plan))
    with whole_file(work / REFUSED) as temporary, open(temporary, "w", encoding="utf-8") as file:
        for split, where, reason in refused(plan):
            report.reject(split, reason)
            print(json.dumps({"where": where, "split": split, "reason": reason}), file=file)
    results = _fetched(plan, work / RESULT)
    make_corpus(work, plan.work, plan.work.options(read), results, report)
    return report


def _fetched(plan: Plan, result: Path) -> Iterator[Any]:
    names = (shard.name for shard in read_layout(plan).shards)
    return (record["result"] for record in bring_all(plan.store, names, result))
