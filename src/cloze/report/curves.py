"""The numbers behind the paper's curves, for one model at a time.

Precision at recall (Figure 2), precision by document length (Figure 4), cumulative precision up
to a length (Figure 5), and two of our own: accuracy by the number of entities to choose from, and
by how frequent the answer is in its document.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import Answers

LONGEST = "longest 5 %"
BAND_ROUNDS = 1_000  # an interval at every point of every curve: fewer draws than for the table
RANK_BINS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, None))


@dataclass(frozen=True)
class Point:
    x: float
    label: str
    share: float
    low: float
    high: float
    questions: int
    documents: int


Curve = list[Point]


def precision_at_recall(model: Answers, points: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision when only the most confident answers are given.

    Recall is the share of questions answered, so that at 1.0 precision is the accuracy. Answers of
    equal confidence come in no order of their own: a cut through them takes each with the same
    chance, so a model that is always equally sure has a flat curve.
    """
    order = np.argsort(-model.confidence, kind="stable")
    sure, right = model.confidence[order], model.correct[order]
    ends = np.flatnonzero(np.append(sure[1:] != sure[:-1], True)) + 1  # answers up to a tie's end
    expected = np.interp(
        np.arange(len(sure) + 1), np.append(0, ends), np.append(0, np.cumsum(right)[ends - 1])
    )
    recall = np.arange(1, points + 1) / points
    given = np.maximum(1, np.round(recall * len(sure)).astype(int))
    return recall, expected[given] / given


def by_length(model: Answers) -> Curve:
    """Each decile of the documents' lengths, then the longest 5 % of the documents."""
    lengths = _document_lengths(model)
    curve = list(_bins(model, model.document_tokens, _quantile_edges(lengths)))
    longest = model.document_tokens >= np.quantile(lengths, 0.95)
    middle = float(np.median(model.document_tokens[longest]))
    return [*curve, _point(model, longest, middle, LONGEST)]


def up_to_length(model: Answers, points: int = 40) -> Curve:
    """All documents of at most N tokens, N running over the quantiles of the lengths."""
    lengths = _document_lengths(model)
    cuts = np.unique(np.quantile(lengths, np.arange(1, points + 1) / points, method="higher"))
    return [_point(model, model.document_tokens <= n, float(n), f"≤ {n:.0f}") for n in cuts]


def length_deciles(model: Answers) -> np.ndarray:
    """The lengths at the ends of the deciles, where Figure 5 has its marks."""
    tenths = np.arange(1, 11) / 10
    return np.unique(np.quantile(_document_lengths(model), tenths, method="higher"))


def by_entities(model: Answers) -> Curve:
    """Tenths of the questions by how many entities their document has."""
    return list(_bins(model, model.entities, _quantile_edges(model.entities)))


def by_frequency_rank(model: Answers) -> Curve:
    """The answer is the most frequent entity, the second, … (Table 2 counts how often)."""
    curve = []
    for position, (first, last) in enumerate(RANK_BINS):
        top = np.inf if last is None else last
        rows = (model.frequency_rank >= first) & (model.frequency_rank <= top)
        label = f"{first}+" if last is None else f"{first}" if first == last else f"{first}–{last}"
        if rows.any():
            curve.append(_point(model, rows, position, label))
    return curve


def _document_lengths(model: Answers) -> np.ndarray:
    """Each document once, however many questions it has."""
    first = np.unique(model.documents, return_index=True)[1]
    return np.asarray(model.document_tokens[first])


def _quantile_edges(values: np.ndarray) -> np.ndarray:
    """Upper ends of ten equal parts; fewer where the values do not tell ten parts apart."""
    return np.unique(np.quantile(values, np.arange(1, 11) / 10, method="higher"))


def _bins(model: Answers, values: np.ndarray, edges: np.ndarray) -> Iterator[Point]:
    number = np.searchsorted(edges, values)  # the part whose upper end is the first not below
    for k in range(len(edges)):
        rows = number == k
        if rows.any():
            low, high = values[rows].min(), values[rows].max()
            label = f"{low}" if low == high else f"{low}–{high}"
            yield _point(model, rows, float(np.median(values[rows])), label)


def _point(model: Answers, rows: np.ndarray, x: float, label: str) -> Point:
    found = interval(model.correct[rows], model.documents[rows], rounds=BAND_ROUNDS)
    documents = len(np.unique(model.documents[rows]))
    return Point(float(x), label, found.share, found.low, found.high, int(rows.sum()), documents)
