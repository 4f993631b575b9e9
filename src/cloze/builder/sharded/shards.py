"""What a worker does: read the stories of some shards, build them, leave them in the store."""

import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from cloze.builder.chunks import Chunk, input_hash
from cloze.builder.sharded.layout import Layout, Shard, read_layout
from cloze.builder.sharded.pages import are_kept, read_kept
from cloze.builder.sharded.plan import Plan, span_ranges
from cloze.builder.sharded.records import is_kept, keep
from cloze.builder.sharded.survey import read_survey
from cloze.builder.sources import read_part
from cloze.builder.work_folder import RESULT
from cloze.compressed import LineRange, lines
from cloze.errors import UserError
from cloze.names.spans import StorySpans, check_fit, parse_spans
from cloze.stories import Story

Pair = tuple[Story, StorySpans | None]


def build_shards(plan: Plan, numbers: Sequence[int]) -> int:
    """Build the shards with these numbers in the layout, as far as they are not there; returns how
    many stories are in them. Their sources are read once, from the first story to the last."""
    plan.check_versions()
    layout = read_layout(plan)
    own = [layout.shards[number] for number in numbers]
    left = [shard for shard in own if not is_kept(plan.store, shard.name)]
    pairs: dict[Shard, list[Pair]] = {}
    for shard, pair in _stories(plan, layout, left):
        pairs.setdefault(shard, []).append(pair)
        if len(pairs[shard]) == shard.size:
            _build(plan, shard, pairs.pop(shard))
    return sum(shard.size for shard in own)


def _build(plan: Plan, shard: Shard, pairs: list[Pair]) -> None:
    stories = [story for story, _ in pairs]
    spans = [own for _, own in pairs] if shard.ready else None
    chunk = Chunk(shard.name, shard.size, (stories, spans))
    with tempfile.TemporaryDirectory() as folder:
        result = plan.make(Path(folder), chunk, recipe=plan.work)
        about = {"input": input_hash(chunk), "result": result}
        keep(plan.store, shard.name, Path(folder) / RESULT, about)


def _stories(plan: Plan, layout: Layout, shards: list[Shard]) -> Iterator[tuple[Shard, Pair]]:
    """Every story of the shards, in the order of the sources."""
    spans: dict[int, _Spans] = {}
    parts = sorted({part for own in shards for part in range(own.first.part, own.last.part + 1)})
    for part in parts:
        found = read_survey(plan, part)
        here = [own for own in shards if own.first.part <= part <= own.last.part]
        shard_of = {n: own for own in here for n in layout.members(own, part, found).tolist()}
        if not shard_of:
            continue
        place, cut = plan.part(part)
        source = plan.work.sources[place]
        before = layout.stories_before[part] + found.stories.cumsum() - found.stories
        path = plan.here / source.stories
        read = (
            read_kept(plan, part, shard_of)
            if are_kept(plan, part)
            else read_part(path, plan.work.columns, cut, shard_of)
        )
        for number, story in read:
            row = found.position(number)
            if not isinstance(story, Story) or story.id != found.where[row]:
                raise UserError(
                    "was changed while it was being read",
                    where=path,
                    fix="run the same command again",
                )
            own = None
            if source.spans is not None:
                if place not in spans:
                    spans[place] = _Spans(plan.here / source.spans, span_ranges(plan, place))
                own = spans[place].of(story, int(before[row]))
            yield shard_of[number], (story, own)


class _Spans:
    """Lines of a file of spans, taken in their order; most of those between are never read."""

    def __init__(self, path: Path, ranges: list[LineRange]) -> None:
        self._path = path
        self._ranges = ranges  # none if the file is compressed
        self._firsts = [each.first for each in ranges]
        self._next = 0
        self._lines = lines(path)

    def of(self, story: Story, number: int) -> StorySpans:
        place = bisect_right(self._firsts, number) - 1
        if place >= 0 and self._firsts[place] > self._next:
            begin = self._ranges[place]
            self._lines = lines(self._path, begin._replace(end=self._ranges[-1].end))
            self._next = begin.first
        for line in self._lines:
            self._next += 1
            if self._next > number:
                spans = parse_spans(line, self._next, self._path)
                check_fit(story, spans, self._path)
                return spans
        raise UserError(
            f"ends before story {story.id}",
            where=self._path,
            fix="write it again with cloze annotate",
        )
