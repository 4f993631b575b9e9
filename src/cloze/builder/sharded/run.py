"""Work on many machines: by hand, one share after the other, or by an engine that runs it all."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from cloze.builder.sharded.duplicates import find_duplicates
from cloze.builder.sharded.hashed_sources import HashedSources
from cloze.builder.sharded.layout import make_layout, read_layout
from cloze.builder.sharded.plan import Make, Plan, Work, begin, plan_of
from cloze.builder.sharded.records import all_kept, check_all_kept
from cloze.builder.sharded.shards import build_shards
from cloze.builder.sharded.stores import store_for
from cloze.builder.sharded.survey import survey, surveyed
from cloze.builder.sharded.taking_back import taken_back
from cloze.builder.sharded.tasks import MOST_TASKS, do, share_of, slices
from cloze.builder.work_folder import check_free, move_out, was_finished, work_folder
from cloze.compressed import is_compressed
from cloze.engines.engine import Engine
from cloze.errors import UserError
from cloze.files import check_apart

T = TypeVar("T")
_MOST_TASKS_COMPRESSED = 64  # each reads a compressed file from its start


def do_share(
    work: Work,
    make: Make,
    out: Path,
    *,
    number: int,
    of: int,
    engine: Engine,
    store: str | None = None,
) -> int:
    """Share `number` of `of` (from 1) on this machine; returns its stories."""
    check_apart(out, *work.paths())
    stores = store_for(out, store)
    sources = HashedSources.of(work.paths(), stores)
    plan = plan_of(work, make, stores, sources.read)
    with taken_back(stores, plan.store):
        sources.keep(stores)
        begin(plan)
        with plan.store.claim(f"shard {number} of {of}"):
            _prepare(plan, engine, start=(number - 1) / of)
            return _run(plan, engine, share_of(range(len(read_layout(plan).shards)), number, of))


def finish(
    work: Work,
    make: Make,
    out: Path,
    gather: Callable[[Plan, Path, Any], T],
    *,
    again: Callable[[], T],
    overwrite: bool,
    engine: Engine | None,
    store: str | None = None,
) -> T:
    """Make the output of its shards, which are all there or are built now by an engine.

    `gather` puts them together in a work folder; `again` says the same of an output that was
    complete when this was killed. If it is killed, a second call continues.
    """
    check_apart(out, *work.paths())
    stores = store_for(out, store)
    sources = HashedSources.of(work.paths(), stores)
    with work_folder(out, work.identity(sources.read)) as folder:
        plan = plan_of(work, make, stores, sources.read)
        if was_finished(folder):
            told = again()
        else:
            if not overwrite:
                check_free(out)
            with taken_back(stores, plan.store):
                if engine is not None:
                    sources.keep(stores)
                    begin(plan)
                _check_begun(plan)
                with plan.store.claim_all():
                    if engine is not None:
                        _prepare(plan, engine)
                        _run(plan, engine, range(len(read_layout(plan).shards)))
                    _check_complete(plan)
                    told = gather(plan, folder, sources.read)
            move_out(folder, out)
        plan.store.remove()
    stores.tidy()
    return told


def _prepare(plan: Plan, engine: Engine, start: float = 0) -> None:
    """Everything before the shards. Machines that do this at the same time begin in different
    places (`start`, a share of the parts) and leave out what they find done."""
    parts = list(range(plan.parts()))
    first = int(start * len(parts))
    done = surveyed(plan)
    left = [part for part in parts[first:] + parts[:first] if part not in done]
    do(engine, partial(survey, plan), left, "surveying", len(left), "parts")
    find_duplicates(plan)
    make_layout(plan)


def _run(plan: Plan, engine: Engine, numbers: Sequence[int]) -> int:
    """Build some shards; those that were built before take no time."""
    layout, done = read_layout(plan), all_kept(plan.store)
    left = [number for number in numbers if layout.shards[number].name not in done]
    packed = any(
        path.is_file() and is_compressed(path)
        for source in plan.work.sources
        for path in (source.stories, source.spans)
        if path
    )
    most = _MOST_TASKS_COMPRESSED if packed else MOST_TASKS
    tasks = list(slices(left, most))
    total = sum(layout.shards[number].size for number in left)
    do(engine, partial(build_shards, plan), tasks, "building", total, "stories")
    return sum(layout.shards[number].size for number in numbers)


def _check_begun(plan: Plan) -> None:
    if not plan.is_made():
        raise UserError(
            "no shard is there: none was run, or a source has changed since",
            fix="run the same command with --shard 1/1, or each shard on a machine of its own",
        )
    plan.check_versions()


def _check_complete(plan: Plan) -> None:
    if len(surveyed(plan)) < plan.parts() or not plan.store.has("layout.json"):
        raise UserError(
            "no shard is there yet",
            fix="run the same command with --shard 1/1, or each shard on a machine of its own",
        )
    check_all_kept(plan.store, [shard.name for shard in read_layout(plan).shards])
