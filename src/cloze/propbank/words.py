"""Word vectors small enough to ship: 100 one-byte numbers for each of 160,000 words.

They are the leading components of the vectors of spaCy's English pipeline (MIT), so that the
models know words that PropBank's sentences never use, and need no pipeline with vectors.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloze.errors import UserError
from cloze.propbank.analysis import lookup
from cloze.randomness import generator

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True, slots=True)
class Words:
    keys: np.ndarray  # uint64, sorted: spaCy's numbers of the lower-cased words
    rows: np.ndarray  # uint16: the row of each
    table: np.ndarray  # int8 [rows, components]; row 0 is all zeros, for a word not known
    cluster: np.ndarray  # uint8: a cluster for each row; 0 for a word not known
    scale: float

    def rows_of(self, lower: np.ndarray) -> np.ndarray:
        return lookup(lower, self.keys, self.rows)

    def vectors(self) -> np.ndarray:
        return self.table.astype(np.float32) * np.float32(self.scale)


def compress(nlp: "Language", *, size: int = 100, clusters: int = 255) -> Words:
    """Take the vectors of a pipeline's vocabulary and keep their leading components."""
    vectors, strings = nlp.vocab.vectors, nlp.vocab.strings
    if not 0 < vectors.shape[0] < 1 << 16:
        raise UserError(
            f"the pipeline has {vectors.shape[0]:,} word vectors; 1 to 65,535 can be shipped",
            fix="train with en_core_web_md",
        )
    known = [
        (key, row)
        for key, row in vectors.key2row.items()
        if key in strings and (word := strings[key]) == word.lower() and word.isascii()
    ]
    keys = np.array([key for key, _ in known], np.uint64)
    order = np.argsort(keys)
    rows = np.array([row + 1 for _, row in known], np.uint16)[order]
    data = vectors.data.astype(np.float64)
    data -= data.mean(axis=0)
    _, components = np.linalg.eigh(data.T @ data)
    components = components[:, ::-1][:, :size]  # the largest first
    data = data @ (components * np.sign(components.sum(axis=0)))
    scale = float(np.abs(data).max(axis=1).mean() / 127) * 2  # the few largest are clipped
    table = np.clip(np.round(data / scale), -127, 127).astype(np.int8)
    data = table * (1 / table.std())
    return Words(
        keys[order],
        rows,
        np.concatenate([np.zeros((1, size), np.int8), table]),
        np.concatenate([np.zeros(1, np.uint8), _clusters(data, clusters)]),
        float(1 / table.std()),
    )


def _clusters(data: np.ndarray, count: int, rounds: int = 12) -> np.ndarray:
    """Lloyd's k-means on directions, numbered from 1."""
    unit = data / np.maximum(np.linalg.norm(data, axis=1, keepdims=True), 1e-9)
    centres = unit[generator(0, count).choice(len(unit), count, replace=False)]
    for _ in range(rounds):
        nearest = (unit @ centres.T).argmax(axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, unit)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    numbers: np.ndarray = (unit @ centres.T).argmax(axis=1) + 1
    return numbers.astype(np.uint8)
