"""A part of a split that stays the same: whole documents, drawn by their ids."""

from collections import Counter

import pyarrow.parquet as pq

from cloze.corpus.store import Corpus
from cloze.randomness import key_of


def sample(corpus: Corpus, split: str, questions: int, seed: int = 0) -> tuple[str, ...]:
    """The ids of documents that have at least so many questions together, or of all of them.

    A document's place in the draw depends on its id and the seed alone: a larger sample holds the
    smaller one, and a corpus that has grown keeps most of it. Documents are drawn whole, so the
    interval over documents is that of a simple random sample of documents.
    """
    counts: Counter[str] = Counter()
    for _, asked in corpus.shards(split):
        counts.update(pq.read_table(asked, columns=["document_id"]).column(0).to_pylist())
    chosen, total = [], 0
    for document in sorted(counts, key=lambda name: key_of(f"{seed} {name}")):
        if total >= questions:
            break
        chosen.append(document)
        total += counts[document]
    return tuple(sorted(chosen))
