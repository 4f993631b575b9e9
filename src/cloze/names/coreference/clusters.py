"""Clusters of names that grow as the sieves join them, with the reason for every join."""

from collections.abc import Sequence
from typing import NamedTuple

from cloze.names.name import Name


class Join(NamedTuple):
    """Two names (by number) that a sieve took for one entity."""

    name: int
    other: int
    sieve: str


class Clusters:
    """A union-find over the numbers of the names; the lowest number stands for its cluster."""

    def __init__(self, names: Sequence[Name]) -> None:
        self.names = names
        self.joins: list[Join] = []
        self._parent = list(range(len(names)))

    def root(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def join(self, number: int, other: int, sieve: str) -> None:
        a, b = self.root(number), self.root(other)
        if a != b:
            self._parent[max(a, b)] = min(a, b)
            self.joins.append(Join(number, other, sieve))
