"""Score a built corpus against gold mentions and clusters, such as the newsroom's.

Each line of the gold file is a story, with `[start, end, label, cluster]` for each mention; the
stories file beside it has the text that these offsets refer to.
"""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Strict

from cloze.compressed import lines
from cloze.corpus.store import Corpus
from cloze.document import Document
from cloze.errors import UserError
from cloze.names.coreference.scores import NOTHING, Score, b_cubed, mention_score, muc
from cloze.shape import Shape

Range = tuple[int, int]


class GoldScores(NamedTuple):
    documents: int
    mentions: Score
    b_cubed: Score
    muc: Score


def score(corpus: Corpus, gold_path: Path) -> GoldScores:
    """Score the articles' mentions and clusters over every document that has gold."""
    stories_path = gold_path.with_name(gold_path.name.replace(".gold", ""))
    truth = dict(_truth(stories_path, gold_path))
    count = 0
    totals = [NOTHING, NOTHING, NOTHING]
    for split in corpus.splits:
        for document, _ in corpus.read(split):
            if document.id not in truth:
                continue
            count += 1
            article, gold_clusters = truth[document.id]
            try:
                said = clusters_in(document, article)
            except ValueError:  # one of its words is not to be found
                what = f"the document {document.id} was not made of the story in this file"
                raise UserError(what, where=stories_path) from None
            for number, measure in enumerate((mention_score, b_cubed, muc)):
                totals[number] = totals[number].plus(measure(gold_clusters, said))
    if not count:
        raise UserError("no document of the corpus is in this gold file", where=gold_path)
    return GoldScores(count, *totals)


def clusters_in(document: Document, article: str) -> dict[Range, int]:
    """The position of each marker of the document in the article it was made from."""
    found: dict[Range, int] = {}
    at = 0
    for surface, marker, _ in document.context.words():
        # White space inside a name may have been the end of a line in the article.
        first, *rest = surface.split(" ")
        start = article.index(first, at)
        at = start + len(first)
        for word in rest:
            at = article.index(word, at) + len(word)
        if marker >= 0:
            found[start, at] = marker
    return found


def _truth(stories: Path, gold: Path) -> Iterator[tuple[str, tuple[str, dict[Range, int]]]]:
    """For each story its article, and the cluster of every mention in it."""
    for story, own in zip_longest(_records(stories, _Story), _records(gold, _Gold)):
        if story is None or own is None:
            what = f"has {'more' if story is None else 'fewer'} lines than {stories.name}"
            raise UserError(what, where=gold)
        if own["id"] != story["id"]:
            raise UserError(f"holds {own['id']} where {story['id']} comes", where=gold)
        yield story["id"], (story["article"], {(s, e): c for s, e, _, c in own["article"]})


class _Story(Shape):
    id: str
    article: str


class _Gold(Shape):
    id: str
    article: list[Annotated[tuple[int, int, str, int], Strict(False)]]


def _records(path: Path, shape: type[Shape]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines(path), 1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as problem:
                raise UserError(f"is not valid JSON ({problem})", where=where) from None
            yield shape.check(record, where=where)
