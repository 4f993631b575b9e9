"""Intervals and paired tests over documents.

Questions about one article are not independent, so the unit of resampling is the document with all
its questions. The result of a draw depends only on how often it contains each *kind* of document
(its number of questions, and of right answers), and there are few kinds: one multinomial draw over
the kinds equals a draw over the documents, at a hundredth of the cost.
"""

from dataclasses import dataclass

import numpy as np

from cloze.randomness import generator

ROUNDS = 10_000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A share between 0 and 1 with its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Accuracy of one model minus another's on the same questions."""

    share: float
    low: float
    high: float
    p: float  # two-sided


def interval(
    correct: np.ndarray, documents: np.ndarray, *, rounds: int = ROUNDS, seed: int = 0
) -> Interval:
    """The percentile bootstrap of the accuracy over documents.

    If every question is right (or every one wrong), all draws are the same; the bound is then the
    exact one for that many documents, which for one document says almost nothing.
    """
    kinds, counts = _kinds(documents, correct)
    share, total = float(np.mean(correct)), int(counts.sum())
    tail = (1 - LEVEL) / 2
    if share in (0.0, 1.0):
        bound = tail ** (1 / total)
        return Interval(share, bound, 1.0) if share else Interval(share, 0.0, 1 - bound)
    if total == 1:
        return Interval(share, 0.0, 1.0)
    asked, right = (_draws(counts, rounds, seed) @ kinds).T
    low, high = np.quantile(right / asked, [tail, 1 - tail])
    return Interval(share, float(low), float(high))


def difference(
    correct: np.ndarray,
    other: np.ndarray,
    documents: np.ndarray,
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Difference:
    """How far apart two models are, and how likely chance alone would put them that far apart.

    The interval is the bootstrap over documents. The p-value is from the randomisation test in
    which the toss of a coin decides whether each document's two results are swapped.
    """
    kinds, counts = _kinds(documents, correct, other)
    asked, right, right_other = (_draws(counts, rounds, seed) @ kinds).T
    tail = (1 - LEVEL) / 2
    low, high = np.quantile((right - right_other) / asked, [tail, 1 - tail])
    gaps = np.abs(kinds[:, 1] - kinds[:, 2])
    found = abs(int(((kinds[:, 1] - kinds[:, 2]) * counts).sum()))
    # Of m documents with the gap g, the coin gives the first model k: it gains g (2k - m).
    tosses = generator(seed, 1).binomial(counts, 0.5, size=(rounds, len(counts)))
    swapped = np.abs((2 * tosses - counts) @ gaps)
    p = (1 + int((swapped >= found).sum())) / (rounds + 1)
    share = float(np.mean(correct)) - float(np.mean(other))
    return Difference(share, float(low), float(high), p)


def _kinds(documents: np.ndarray, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows (questions, right, right of the other…) and how many documents have each."""
    number = np.unique(documents, return_inverse=True)[1]
    sums = [np.bincount(number)]
    sums += [np.bincount(number, weights=column).astype(np.int64) for column in columns]
    kinds, counts = np.unique(np.stack(sums, axis=1), axis=0, return_counts=True)
    return kinds, counts


def _draws(counts: np.ndarray, rounds: int, seed: int) -> np.ndarray:
    """[rounds, kinds]: how many documents of each kind a draw with replacement holds."""
    total = int(counts.sum())
    return np.asarray(generator(seed, 0).multinomial(total, counts / total, size=rounds))
