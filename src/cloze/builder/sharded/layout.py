"""Which stories go into which shard of the corpus: those that a plain build would put there."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.duplicates import of_part, read_duplicates
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.sealed_files import json_of, put_json
from cloze.builder.sharded.survey import Flags, Numbers, Survey, read_surveys
from cloze.stories import Reason

_NAME = "layout.json"


class Place(NamedTuple):
    part: int
    number: int


class Shard(NamedTuple):
    """All stories of a split from one place to another, of sources with spans or without."""

    split: str
    ready: bool  # their spans are given
    number: int
    size: int
    first: Place
    last: Place

    @property
    def name(self) -> str:
        return f"{self.split}-{self.number:05d}"


@dataclass(frozen=True, slots=True)
class Layout:
    shards: list[Shard]
    stories_before: list[int]  # for each part, how many are before it in its source
    duplicates: Numbers

    def members(self, shard: Shard, part: int, found: Survey) -> Numbers:
        """The numbers of the stories of a part that belong to a shard."""
        keep = _accepted(found, of_part(self.duplicates, part), shard.split)
        after = Place(part, -1) if shard.first.part < part else shard.first
        numbers = found.numbers[keep]
        numbers = numbers[numbers >= after.number]
        return numbers[numbers <= shard.last.number] if part == shard.last.part else numbers


def make_layout(plan: Plan) -> None:
    if plan.store.has(_NAME):
        return
    sizes = _Sizes(plan.work.stories_a_shard)
    duplicates = read_duplicates(plan)
    before: list[int] = []
    stories: Counter[int] = Counter()
    places = at_once(plan.part, range(plan.parts()))
    for part, ((place, _), found) in enumerate(zip(places, read_surveys(plan), strict=True)):
        before.append(stories[place])
        stories[place] += int(found.stories.sum())
        sizes.add(
            part, found, of_part(duplicates, part), plan.work.sources[place].spans is not None
        )
    made = {"shards": sizes.shards(), "stories_before": before}
    put_json(plan.store, _NAME, made)


@lru_cache(maxsize=2)
def read_layout(plan: Plan) -> Layout:
    made = json_of(plan.store, _NAME)
    shards = [
        Shard(split, ready, number, size, Place(*first), Place(*last))
        for split, ready, number, size, first, last in made["shards"]
    ]
    return Layout(shards, made["stories_before"], read_duplicates(plan))


def refused(plan: Plan) -> Iterator[tuple[str, str, Reason]]:
    """Split, place and reason of every record that is in no shard, in the order of the sources."""
    duplicates = read_duplicates(plan)
    for part, found in enumerate(read_surveys(plan)):
        again = set(of_part(duplicates, part).tolist())
        for number, where, split, reason in zip(
            found.numbers.tolist(), found.where, found.splits.tolist(), found.reasons, strict=True
        ):
            if number in again:
                yield split, where, Reason.SEEN_BEFORE
            elif reason is not None:
                yield split, where, reason


def count_records(plan: Plan) -> int:
    return sum(len(found.numbers) for found in read_surveys(plan))


class _Sizes:
    """Shards of a fixed size, filled in the order of the stories."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._open: dict[tuple[str, bool], tuple[int, Place, Place]] = {}
        self._full: list[tuple[str, bool, int, Place, Place]] = []

    def add(self, part: int, found: Survey, duplicates: Numbers, ready: bool) -> None:
        full: list[tuple[str, bool, int, Place, Place]] = []
        for split in np.unique(found.splits).tolist():
            numbers = found.numbers[_accepted(found, duplicates, split)]
            full += self._fill((split, ready), part, numbers)
        self._full += sorted(full, key=lambda shard: shard[-1])

    def _fill(
        self, key: tuple[str, bool], part: int, numbers: Numbers
    ) -> Iterator[tuple[str, bool, int, Place, Place]]:
        done = 0
        while done < len(numbers):
            first = Place(part, int(numbers[done]))
            count, begun, _ = self._open.pop(key, (0, first, first))
            taken = min(self._size - count, len(numbers) - done)
            done += taken
            last = Place(part, int(numbers[done - 1]))
            if count + taken == self._size:
                yield *key, self._size, begun, last
            else:
                self._open[key] = (count + taken, begun, last)

    def shards(self) -> list[Shard]:
        """Numbered within their splits in the order in which they were filled."""
        rest = [(*key, *self._open[key]) for key in sorted(self._open)]
        numbers: Counter[str] = Counter()
        shards = []
        for split, ready, size, first, last in (*self._full, *rest):
            shards.append(Shard(split, ready, numbers[split], size, first, last))
            numbers[split] += 1
        return shards


def _accepted(found: Survey, duplicates: Numbers, split: str) -> Flags:
    accepted: Flags = (found.splits == split) & ~found.refused
    return accepted & ~np.isin(found.numbers, duplicates)
