"""Precomputed entity spans: the slow step, done once and kept in a file beside the stories.

One JSON line per story, in the order of the stories, with character offsets into its strings:

    {"id": "…", "article": [[23, 35, "PERSON"], …], "highlights": [[[0, 3, "ORG"]], []]}

If the pipeline resolves coreference there is also "clusters": lists of mentions, each the number of
a text (0 the article, 1 the first highlight) with a start and an end.

The gold of the newsroom (`cloze newsroom --raw`) is such a file too, in which every mention has the
number of its entity as well: then nothing is searched for and nothing resolved.
"""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from cloze.compressed import lines
from cloze.errors import UserError
from cloze.names.coreference.component import Place
from cloze.names.name import Span
from cloze.stories import Story


class StorySpans(NamedTuple):
    """The spans of a story: those of the article, then those of each highlight."""

    id: str
    texts: list[list[Span]]
    clusters: list[list[Place]] = []  # noqa: RUF012  # never changed
    gold: bool = False  # the spans are all the mentions, each in one of the clusters

    def line(self) -> str:
        article, *highlights = self.texts
        record: dict[str, Any] = {"id": self.id, "article": article, "highlights": highlights}
        if self.clusters:
            record["clusters"] = self.clusters
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def read_spans(path: Path) -> Iterator[StorySpans]:
    return (parse_spans(line, number, path) for number, line in enumerate(lines(path), 1))


def parse_spans(line: bytes, number: int, path: Path) -> StorySpans:
    """The spans on a line of a file, or the gold of a newsroom story."""
    try:
        record = json.loads(line)
        texts = [record["article"], *record["highlights"]]
        if "names" in record:
            return _gold(record["id"], texts, len(record["names"]))
        for text in texts:
            for start, end, label in text:
                _check_span(start, end, label)
        clusters = [[(t, a, b) for t, a, b in c] for c in record.get("clusters", ())]
        for text, start, end in chain.from_iterable(clusters):
            _check_span(start, end, "")
            if not (type(text) is int and 0 <= text < len(texts)):
                raise ValueError
        return StorySpans(record["id"], texts, clusters)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(
            f"line {number} does not hold the spans of a story",
            where=path,
            fix="write the file with cloze annotate",
        ) from None


def _check_span(start: Any, end: Any, label: Any) -> None:
    if not (type(start) is type(end) is int and 0 <= start <= end):
        raise ValueError
    if not (isinstance(label, str) and label.isprintable()):
        raise ValueError


def _gold(story_id: str, texts: list[list[list[Any]]], entities: int) -> StorySpans:
    """Each mention with the number of its entity, as `cloze newsroom --raw` writes them."""
    clusters: list[list[Place]] = [[] for _ in range(entities)]
    spans: list[list[Span]] = []
    for number, mentions in enumerate(texts):
        spans.append([])
        done = 0
        for start, end, label, cluster in mentions:
            _check_span(start, end, label)
            if not (type(cluster) is int and 0 <= cluster < entities and done <= start < end):
                raise ValueError
            clusters[cluster].append((number, start, end))
            spans[-1].append((start, end, label))
            done = end
    return StorySpans(story_id, spans, clusters, gold=True)


def check_fit(story: Story, spans: StorySpans, path: Path) -> None:
    """Stop if the spans belong to another story, or to another edition of this one."""
    if spans.id != story.id:
        raise UserError(
            f"holds the spans of story {spans.id} instead of story {story.id}",
            where=path,
            fix="spans must be in the order of the stories; write them with cloze annotate",
        )
    texts = [story.article, *story.highlights]
    if len(texts) != len(spans.texts) or any(
        span[1] > len(text) for text, own in zip(texts, spans.texts, strict=True) for span in own
    ):
        raise UserError(
            f"the spans of story {story.id} do not fit its text",
            where=path,
            fix="write them again with cloze annotate",
        )
