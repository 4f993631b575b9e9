"""The paper's two tables about a corpus: its size, and how often the answer is a frequent entity.

Table 1: documents, queries, entities and tokens, vocabulary.
Table 2: how often the answer is among the N most frequent entities of its document.

The paper does not say what its averages are taken over. Taken over queries, so that a document
counts once for each of its questions, the rebuilt corpora come within 3 % of its tokens and
entities on every split; over documents they fall short by up to 16 %. So we average over queries,
and give the averages over documents as well.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from cloze.corpus.store import Corpus
from cloze.document import Document, Point, Question
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
    """Counts of a split or of a part of one; they can be added up."""

    documents: int = 0
    queries: int = 0
    max_entities: int = 0
    entities: int = 0  # of all documents
    tokens: int = 0
    asked_entities: int = 0  # those of a document count once for each of its questions
    asked_tokens: int = 0
    within: list[int] = field(default_factory=lambda: [0] * len(TOP))  # queries, for each of TOP
    words: set[str] = field(default_factory=set)  # and markers, of documents and questions

    def add(self, document: Document, questions: Sequence[Question]) -> None:
        ranks = frequency_ranks(document)
        self.documents += 1
        self.queries += len(questions)
        self.max_entities = max(self.max_entities, len(ranks))
        self.entities += len(ranks)
        self.tokens += len(document.context)
        self.asked_entities += len(ranks) * len(questions)
        self.asked_tokens += len(document.context) * len(questions)
        self.words.update(document.context.tokens)
        for question in questions:
            self.words.update(question.query.tokens)
            rank = ranks.get(question.answer, len(ranks) + 1)
            self.within = [n + (rank <= top) for n, top in zip(self.within, TOP, strict=True)]

    def merge(self, part: "SplitStatistics") -> None:
        """Add the counts of another part of the split."""
        self.documents += part.documents
        self.queries += part.queries
        self.max_entities = max(self.max_entities, part.max_entities)
        self.entities += part.entities
        self.tokens += part.tokens
        self.asked_entities += part.asked_entities
        self.asked_tokens += part.asked_tokens
        self.within = [a + b for a, b in zip(self.within, part.within, strict=True)]
        self.words |= part.words

    def as_json(self) -> dict[str, Any]:
        return vars(self) | {"words": " ".join(sorted(self.words))}

    @classmethod
    def from_json(cls, counts: dict[str, Any]) -> Self:
        return cls(**counts | {"words": set(counts["words"].split())})

    # Averages over queries, as the paper's figures are, and over documents.
    @property
    def avg_entities(self) -> float:
        return self.asked_entities / max(self.queries, 1)

    @property
    def avg_tokens(self) -> float:
        return self.asked_tokens / max(self.queries, 1)

    @property
    def entities_a_document(self) -> float:
        return self.entities / max(self.documents, 1)

    @property
    def tokens_a_document(self) -> float:
        return self.tokens / max(self.documents, 1)

    @property
    def top(self) -> dict[int, float]:
        """The percentage of answers that are among the N most frequent entities."""
        return {
            n: 100 * count / max(self.queries, 1) for n, count in zip(TOP, self.within, strict=True)
        }


_TOLD = (
    "documents",
    "queries",
    "max_entities",
    "avg_entities",
    "avg_tokens",
    "entities_a_document",
    "tokens_a_document",
    "top",
)


@dataclass
class Statistics:
    name: str
    splits: dict[str, SplitStatistics]

    @classmethod
    def of(cls, corpus: Corpus, splits: dict[str, SplitStatistics]) -> Self:
        """What was counted while the corpus was written, in the order of its splits."""
        return cls(corpus.name, {split: splits[split] for split in corpus.splits})

    @cached_property
    def vocabulary(self) -> int:
        """Word types of every split, in documents and questions, without markers."""
        words = set().union(*(split.words for split in self.splits.values()))
        return sum(marker_of(word) < 0 for word in words)

    def as_dict(self) -> dict[str, Any]:
        splits = {
            split: {key: getattr(found, key) for key in _TOLD}
            for split, found in self.splits.items()
        }
        return {"name": self.name, "splits": splits, "vocabulary": self.vocabulary}


def measure(corpus: Corpus, only: Sequence[str] | None = None) -> Statistics:
    """Measure the corpus, or some of its splits, in one pass."""
    splits = {split: SplitStatistics() for split in only or corpus.splits}
    for split, found in splits.items():
        points = track(
            corpus.read(split),
            f"measuring {split}",
            total=corpus.count(split, "documents"),
            unit="documents",
        )
        for document, questions in points:
            found.add(document, questions)
    return Statistics(corpus.name, splits)


def counted(points: Iterable[Point], found: SplitStatistics) -> Iterator[Point]:
    """Pass the points on unchanged, counting them."""
    for document, questions in points:
        found.add(document, questions)
        yield document, questions


def frequency_ranks(document: Document) -> dict[int, int]:
    """Each entity of the context with its rank by frequency, from 1; ties by first mention."""
    mentions = document.context.mentions()
    order = sorted(mentions, key=lambda marker: -len(mentions[marker]))  # stable: ties as they come
    return {marker: place for place, marker in enumerate(order, 1)}
