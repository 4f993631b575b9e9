"""What there is to do: the sources in parts, in a store that has the identity of the build."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cloze.builder.build_input import Source
from cloze.builder.chunks import Result
from cloze.builder.recipe import Fingerprints
from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.sealed_files import json_of, put_json
from cloze.builder.sharded.stores import Store
from cloze.builder.sharded.versions import check_made_with, made_with, store_of
from cloze.builder.sources import Columns, Part, Reading, parts_of
from cloze.compressed import LineRange, line_ranges

PART_BYTES = 16 << 20
_MOST_PARTS = 2048  # or somewhat more; each is a task
_SPAN_BYTES = 1 << 20  # how far apart the places are at which spans can be read
_PLAN = "plan.json"


class Work(Protocol):
    """What is to be made of which sources: a corpus, or a file of spans."""

    @property
    def sources(self) -> tuple[Source, ...]: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def pages(self) -> Reading: ...
    @property
    def split_rule(self) -> str: ...
    @property
    def stories_a_shard(self) -> int: ...
    @property
    def unique(self) -> bool:
        """Whether only the first of several stories with the same id is taken."""

    def paths(self) -> list[Path]: ...
    def identity(self, read: Fingerprints, /) -> dict[str, Any]: ...


Make = Callable[..., Result]  # (folder, chunk, recipe=…): put what is made into RESULT there


@dataclass(frozen=True, slots=True)
class Plan:
    """The work and its store: all that a worker has to be given."""

    work: Work
    make: Make
    store: Store
    here: Path  # what its paths are relative to; a worker may be elsewhere

    def part(self, number: int) -> tuple[int, Part]:
        """The place of its source among the sources, and the part."""
        found = json_of(self.store, _part(number))
        return found["source"], found["part"]

    def is_made(self) -> bool:
        return self.store.has(_PLAN)

    def parts(self) -> int:
        return int(json_of(self.store, _PLAN)["parts"])

    def check_versions(self) -> None:
        """Stop on a machine whose packages may make other bytes than those of the others."""
        check_made_with(json_of(self.store, _PLAN)["made_with"])


def plan_of(work: Work, make: Make, stores: Store, read: Fingerprints) -> Plan:
    return Plan(work, make, store_of(stores, work.identity(read)), Path.cwd())


def begin(plan: Plan) -> None:
    """Make the plan, if nobody has made it yet."""
    if not plan.is_made():
        plan.store.make()
        _make(plan)
    plan.check_versions()


def _make(plan: Plan) -> None:
    total = sum(_size(source.stories) for source in plan.work.sources)
    size = max(PART_BYTES, total // _MOST_PARTS)

    def write(numbered: tuple[int, tuple[int, Part]]) -> None:
        number, (place, part) = numbered
        about = {"source": place, "part": part}
        put_json(plan.store, _part(number), about)

    parts = (
        (place, part)
        for place, source in enumerate(plan.work.sources)
        for part in parts_of(source.stories, size)
    )
    number = sum(1 for _ in at_once(write, enumerate(parts)))
    for place, source in enumerate(plan.work.sources):
        if source.spans is not None:
            ranges = list(line_ranges(source.spans, _SPAN_BYTES))
            put_json(plan.store, f"spans/{place}.json", ranges)
    about = {"parts": number, "made_with": made_with()}
    put_json(plan.store, _PLAN, about)


def span_ranges(plan: Plan, source: int) -> list[LineRange]:
    return [LineRange(*each) for each in json_of(plan.store, f"spans/{source}.json")]


def _part(number: int) -> str:
    return f"parts/{number:05d}.json"


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path.stat().st_size
