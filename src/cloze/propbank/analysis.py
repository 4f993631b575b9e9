"""spaCy's analysis of some documents as flat arrays, which the models read.

Words stay the 64-bit numbers that spaCy gives to strings (the same in every pipeline); tags and
dependency labels become small numbers, 0 for those the models have not seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True, slots=True)
class Labels:
    """The tags and dependency labels that the models know, in the order of their numbers."""

    tags: tuple[str, ...]
    deps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    lower: np.ndarray  # uint64, the lower-cased word
    lemma: np.ndarray  # uint64, lower-cased too
    tag: np.ndarray  # int64
    dep: np.ndarray  # int64
    head: np.ndarray  # int64, absolute; a root is its own
    first: np.ndarray  # int64, the first token of this token's sentence
    last: np.ndarray  # int64, one past its last
    docs: np.ndarray  # int64, where each document starts, and the end

    def __len__(self) -> int:
        return len(self.lower)


def analyse(docs: Sequence["Doc"], labels: Labels) -> Analysis:
    from spacy.attrs import DEP, HEAD, LEMMA, LOWER, SENT_START, TAG
    from spacy.strings import get_string_id

    columns = [LOWER, LEMMA, TAG, DEP, HEAD, SENT_START]
    table = np.concatenate([doc.to_array(columns) for doc in docs] or [np.zeros((0, 6), np.uint64)])
    ends = np.cumsum([0] + [len(doc) for doc in docs])
    size = len(table)
    starts = table[:, 5].view(np.int64) == 1
    starts[ends[:-1][np.diff(ends) > 0]] = True
    bounds = np.append(np.flatnonzero(starts), size)
    lengths = np.diff(bounds)
    return Analysis(
        lower=np.ascontiguousarray(table[:, 0]),
        lemma=_lower_lemmas(docs, table[:, 1]),
        tag=_numbers(table[:, 2], [get_string_id(tag) for tag in labels.tags]),
        dep=_numbers(table[:, 3], [get_string_id(dep) for dep in labels.deps]),
        head=np.arange(size) + table[:, 4].view(np.int64),
        first=np.repeat(bounds[:-1], lengths),
        last=np.repeat(bounds[1:], lengths),
        docs=ends,
    )


def _numbers(values: np.ndarray, known: Sequence[int]) -> np.ndarray:
    """1 + the position of each value among the known ones, 0 for an unknown one."""
    keys = np.array(known, np.uint64)
    order = np.argsort(keys)
    return lookup(values, keys[order], order + 1)


def lookup(values: np.ndarray, keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The number of each value by sorted keys, 0 for a value that is not among them."""
    if not len(keys):
        return np.zeros(values.shape, np.int64)
    place = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    found: np.ndarray = np.where(keys[place] == values, numbers[place], 0).astype(np.int64)
    return found


def _lower_lemmas(docs: Sequence["Doc"], lemmas: np.ndarray) -> np.ndarray:
    if not docs:
        return lemmas
    from spacy.strings import get_string_id

    distinct, places = np.unique(lemmas, return_inverse=True)
    strings = docs[0].vocab.strings
    lowered = [get_string_id(strings[key].lower()) for key in distinct]
    return np.array(lowered, np.uint64)[places]
