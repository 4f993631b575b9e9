"""The paper's two tables about a corpus: its size, and how often the answer is a frequent entity.

Table 1: documents, queries, entities and tokens, vocabulary.
Table 2: how often the answer is among the N most frequent entities of its document.

The paper does not say what its averages are taken over. Taken over queries, that is with a
document counted as often as it is asked about, the rebuilt corpora come within 3 % of its tokens
and entities on every split; over documents they fall short by up to 16 %. So queries it is, and the
averages over documents are given beside.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from cloze.corpus.store import Corpus
from cloze.document import Document
from cloze.progress import track
from cloze.text import marker_of

TOP = (1, 2, 3, 5, 10)

# Table 1 and Table 2 of the paper. The vocabulary is that of the whole corpus.
PAPER: dict[str, dict[str, dict[str, float]]] = {
    "cnn": {
        "train": {
            "documents": 90_266,
            "queries": 380_298,
            "max_entities": 527,
            "avg_entities": 26.4,
            "avg_tokens": 762,
        },
        "valid": {
            "documents": 1_220,
            "queries": 3_924,
            "max_entities": 187,
            "avg_entities": 26.5,
            "avg_tokens": 763,
        },
        "test": {
            "documents": 1_093,
            "queries": 3_198,
            "max_entities": 396,
            "avg_entities": 24.5,
            "avg_tokens": 716,
        },
    },
    "dailymail": {
        "train": {
            "documents": 196_961,
            "queries": 879_450,
            "max_entities": 371,
            "avg_entities": 26.5,
            "avg_tokens": 813,
        },
        "valid": {
            "documents": 12_148,
            "queries": 64_835,
            "max_entities": 232,
            "avg_entities": 25.5,
            "avg_tokens": 774,
        },
        "test": {
            "documents": 10_397,
            "queries": 53_182,
            "max_entities": 245,
            "avg_entities": 26.0,
            "avg_tokens": 780,
        },
    },
}
PAPER_VOCABULARY = {"cnn": 118_497, "dailymail": 208_045}
PAPER_TOP = {
    "cnn": dict(zip(TOP, (30.5, 47.7, 58.1, 70.6, 85.1), strict=True)),
    "dailymail": dict(zip(TOP, (25.6, 42.4, 53.7, 68.1, 85.5), strict=True)),
}


@dataclass
class SplitStatistics:
    documents: int = 0
    queries: int = 0
    max_entities: int = 0
    avg_entities: float = 0.0  # over queries, as the paper's figures are
    avg_tokens: float = 0.0
    entities_a_document: float = 0.0
    tokens_a_document: float = 0.0
    top: dict[int, float] = field(default_factory=dict)  # N -> cumulative %


@dataclass
class Statistics:
    name: str
    splits: dict[str, SplitStatistics]
    vocabulary: int  # word types of every split, in documents and questions, without markers

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(corpus: Corpus, only: Sequence[str] | None = None) -> Statistics:
    """Read the corpus once, or some of its splits."""
    words: set[str] = set()
    splits = {split: _measure_split(corpus, split, words) for split in only or corpus.splits}
    vocabulary = sum(marker_of(word) < 0 for word in words)
    return Statistics(corpus.name, splits, vocabulary)


def _measure_split(corpus: Corpus, split: str, words: set[str]) -> SplitStatistics:
    found = SplitStatistics()
    entities = tokens = asked_entities = asked_tokens = 0
    within: Counter[int] = Counter()
    total = corpus.count(split, "documents")
    for document, questions in track(
        corpus.read(split), f"measuring {split}", total=total, unit="documents"
    ):
        words.update(document.context.tokens)
        ranks = frequency_ranks(document)
        found.documents += 1
        found.queries += len(questions)
        found.max_entities = max(found.max_entities, len(ranks))
        entities += len(ranks)
        tokens += len(document.context)
        asked_entities += len(ranks) * len(questions)
        asked_tokens += len(document.context) * len(questions)
        for question in questions:
            words.update(question.query.tokens)
            rank = ranks.get(question.answer, len(ranks) + 1)
            within.update(n for n in TOP if rank <= n)
    found.avg_entities = asked_entities / max(found.queries, 1)
    found.avg_tokens = asked_tokens / max(found.queries, 1)
    found.entities_a_document = entities / max(found.documents, 1)
    found.tokens_a_document = tokens / max(found.documents, 1)
    found.top = {n: 100 * within[n] / max(found.queries, 1) for n in TOP}
    return found


def frequency_ranks(document: Document) -> dict[int, int]:
    """Each entity of the context with its place by frequency, from 1; ties by first mention."""
    mentions = document.context.mentions()
    order = sorted(mentions, key=lambda marker: -len(mentions[marker]))  # stable: ties as they come
    return {marker: place for place, marker in enumerate(order, 1)}
