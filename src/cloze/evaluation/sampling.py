"""A part of a split that stays the same: whole documents, drawn by their ids."""

from collections import Counter

import pyarrow.parquet as pq

from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.randomness import key_of


def sample(corpus: Corpus, split: str, questions: int, seed: int = 0) -> tuple[str, ...]:
    """The ids of documents that together have at least this many questions, or of all of them.

    A document's place in the draw depends only on its id and the seed: a larger sample contains the
    smaller one, and a corpus that has grown keeps most of it. Documents are drawn whole, so the
    interval over documents is that of a simple random sample of documents.
    """
    chosen, total = [], 0
    for document, count in _drawn(corpus, split, seed):
        if total >= questions:
            break
        chosen.append(document)
        total += count
    return tuple(sorted(chosen))


def sample_documents(corpus: Corpus, split: str, documents: int, seed: int = 0) -> list[Point]:
    """This many documents, drawn in the same way, in the order of the corpus."""
    chosen = {name for name, _ in _drawn(corpus, split, seed)[:documents]}
    return [point for point in corpus.read(split) if point[0].id in chosen]


def _drawn(corpus: Corpus, split: str, seed: int) -> list[tuple[str, int]]:
    """All documents that have questions, in the order of the draw, with how many they have."""
    counts: Counter[str] = Counter()
    for _, asked in corpus.shards(split):
        counts.update(pq.read_table(asked, columns=["document_id"]).column(0).to_pylist())
    order = sorted(counts, key=lambda name: key_of(f"{seed} {name}"))
    return [(name, counts[name]) for name in order]
