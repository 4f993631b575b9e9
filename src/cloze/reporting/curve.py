"""A curve of one model: accuracy in parts of the questions, each with its 95 % interval."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import Answers

ROUNDS = 1_000  # an interval at every point of every curve: fewer draws than for the table


@dataclass(frozen=True)
class Point:
    x: float
    label: str
    share: float
    low: float
    high: float
    questions: int
    documents: int
    apart: bool = False  # drawn separately, not on the line


Curve = list[Point]


def point(model: Answers, rows: np.ndarray, x: float, label: str, apart: bool = False) -> Point:
    """The accuracy over some of the questions."""
    found = interval(model.correct[rows], model.documents[rows], rounds=ROUNDS)
    documents = len(np.unique(model.documents[rows]))
    questions = int(rows.sum())
    return Point(float(x), label, found.share, found.low, found.high, questions, documents, apart)


def tenths(model: Answers, values: np.ndarray, edges: np.ndarray) -> Iterator[Point]:
    """The questions, cut into parts by a value; `edges` are the upper ends of the parts."""
    number = np.searchsorted(edges, values)  # the first part whose upper end is not below the value
    for k in range(len(edges)):
        rows = number == k
        if rows.any():
            low, high = values[rows].min(), values[rows].max()
            label = f"{low}" if low == high else f"{low}–{high}"
            yield point(model, rows, float(np.median(values[rows])), label)


def ends_of_tenths(values: np.ndarray) -> np.ndarray:
    """Upper ends of ten equal parts; fewer if the values do not separate ten parts."""
    return np.unique(np.quantile(values, np.arange(1, 11) / 10, method="higher"))


def document_lengths(model: Answers) -> np.ndarray:
    """Each document once, however many questions it has."""
    first = np.unique(model.documents, return_index=True)[1]
    return np.asarray(model.document_tokens[first])
