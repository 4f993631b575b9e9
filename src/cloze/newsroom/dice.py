"""The draws of one story: a stream that depends on (seed, index) and on nothing else."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Only ``random()`` is used: Python promises that sequence in every version, and no other.

    >>> Dice(1, 7).below(1000) == Dice(1, 7).below(1000)
    True
    """

    def __init__(self, seed: int, index: int) -> None:
        key = hashlib.blake2b(f"newsroom:{seed}:{index}".encode(), digest_size=16).digest()
        self.random = random.Random(int.from_bytes(key, "little")).random

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def below(self, n: int) -> int:
        return int(self.random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.random() * len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """An index, drawn in proportion to its weight."""
        left = self.random() * sum(weights)
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        return len(weights) - 1

    def shuffled(self, items: Sequence[T]) -> list[T]:
        rest = list(items)
        for i in range(len(rest) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            rest[i], rest[j] = rest[j], rest[i]
        return rest
