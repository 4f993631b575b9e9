"""Score a built corpus against gold mentions and clusters, such as the newsroom's.

Each line of the gold file is a story, with `[start, end, label, cluster]` for each mention; the
stories file beside it has the text that these offsets refer to.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cloze.compressed import lines
from cloze.corpus.store import Corpus
from cloze.document import Document
from cloze.errors import UserError
from cloze.names.coreference.scores import NOTHING, Score, b_cubed, mention_score, muc

Range = tuple[int, int]


class GoldScores(NamedTuple):
    documents: int
    mentions: Score
    b_cubed: Score
    muc: Score


def score(corpus: Corpus, gold_path: Path) -> GoldScores:
    """Score the articles' mentions and clusters over every document that has gold."""
    stories_path = gold_path.with_name(gold_path.name.replace(".gold", ""))
    truth = {
        story["id"]: (story["article"], {(s, e): c for s, e, _, c in gold["article"]})
        for story, gold in zip(_records(stories_path), _records(gold_path), strict=True)
    }
    count = 0
    totals = [NOTHING, NOTHING, NOTHING]
    for split in corpus.splits:
        for document, _ in corpus.read(split):
            if document.id not in truth:
                continue
            count += 1
            article, gold_clusters = truth[document.id]
            said = clusters_in(document, article)
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


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for line in lines(path):
        if line.strip():
            yield json.loads(line)
