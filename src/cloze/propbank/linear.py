"""A linear model over hashed (sign, class) pairs: small, fast, and never surprised by a new word.

The score of a class is the sum of the weights of its pairs; a softmax over the classes offered
makes it multinomial logistic regression, trained with Adagrad.
"""

import numba
import numpy as np

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xBF58476D1CE4E5B9)


@numba.njit(cache=True)
def _slot(sign: int, of: int, shift: int) -> np.uint64:
    z = (np.uint64(sign) ^ (np.uint64(of) * _A)) * _B
    return (z ^ (z >> np.uint64(31))) * _A >> np.uint64(shift)


@numba.njit(cache=True)
def _scores(
    weights: np.ndarray, signs: np.ndarray, classes: np.ndarray, bounds: np.ndarray, shift: int
) -> np.ndarray:
    scores = np.zeros(len(classes), np.float32)
    for row in range(len(signs)):
        for c in range(bounds[row], bounds[row + 1]):
            total = np.float32(0)
            for sign in signs[row]:
                if sign:
                    total += weights[_slot(sign, classes[c], shift)]
            scores[c] = total
    return scores


@numba.njit(cache=True)
def _train(
    weights: np.ndarray,
    signs: np.ndarray,
    classes: np.ndarray,
    bounds: np.ndarray,
    right: np.ndarray,
    order: np.ndarray,
    rate: float,
    decay: float,
    shift: int,
) -> None:
    squares = np.full(len(weights), 1e-3, np.float32)
    chances = np.zeros(np.diff(bounds).max(), np.float32)
    for row in order:
        start, end = bounds[row], bounds[row + 1]
        top = np.float32(-1e9)
        for c in range(start, end):
            total = np.float32(0)
            for sign in signs[row]:
                if sign:
                    total += weights[_slot(sign, classes[c], shift)]
            chances[c - start] = total
            top = max(top, total)
        whole = np.float32(0)
        for c in range(end - start):
            chances[c] = np.exp(chances[c] - top)
            whole += chances[c]
        for c in range(start, end):
            slope = chances[c - start] / whole - (1.0 if c == right[row] else 0.0)
            for sign in signs[row]:
                if sign:
                    slot = _slot(sign, classes[c], shift)
                    step = slope + decay * weights[slot]
                    squares[slot] += step * step
                    weights[slot] -= rate * step / np.sqrt(squares[slot])


class Hashed:
    """Weights of (sign, class) pairs; classes are any 64-bit numbers."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights.astype(np.float32)
        self.shift = 64 - int(np.log2(len(weights)))

    def scores(self, signs: np.ndarray, classes: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """The score of each class offered; row k is offered classes[bounds[k] : bounds[k + 1]]."""
        return np.asarray(_scores(self.weights, signs, classes, bounds, self.shift))

    @classmethod
    def trained(
        cls,
        signs: np.ndarray,
        classes: np.ndarray,
        bounds: np.ndarray,
        right: np.ndarray,
        *,
        random: np.random.Generator,
        bits: int,
        epochs: int = 6,
        rate: float = 0.1,
        decay: float = 1e-5,
    ) -> "Hashed":
        """Learn from rows whose right class stands at the index right[row] of `classes`."""
        model = cls(np.zeros(1 << bits, np.float32))
        order = np.concatenate([random.permutation(len(signs)) for _ in range(epochs)])
        _train(model.weights, signs, classes, bounds, right, order, rate, decay, model.shift)
        return model
