"""The ids of many tokens at once, with one look-up for each type of token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cloze.readers.encoder import Encoder
from cloze.text import marker_of


@dataclass(frozen=True)
class TypeIds:
    """The ids of token types laid end to end, and how many each has.

    A marker's id is negative (-1 - its number) until it is known which of its document's entities
    it is.
    """

    flat: np.ndarray  # int64
    counts: np.ndarray  # int64 [types]

    @classmethod
    def of(cls, types: Sequence[str], encoder: Encoder) -> "TypeIds":
        markers = np.fromiter(map(marker_of, types), np.int64, len(types))
        flat, of_words = encoder.ids([t for t, m in zip(types, markers, strict=True) if m < 0])
        counts = np.ones(len(types), np.int64)
        counts[markers < 0] = of_words
        ids = np.empty(int(counts.sum()), np.int64)
        is_marker = np.repeat(markers >= 0, counts)
        ids[is_marker], ids[~is_marker] = -1 - markers[markers >= 0], flat
        return cls(ids, counts)

    def tokens(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The ids of tokens given as the numbers of their types, and how many each token has."""
        counts = self.counts[codes]
        if len(self.flat) == len(self.counts):  # one id each
            return self.flat[codes], counts
        first = (np.cumsum(self.counts) - self.counts)[codes]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.flat[np.repeat(first, counts) + within], counts


def starts(counts: np.ndarray) -> np.ndarray:
    """1 where an id begins a token, 0 where it continues one. uint8 [ids]"""
    found = np.zeros(int(counts.sum()), np.uint8)
    found[np.cumsum(counts) - counts] = 1
    return found
