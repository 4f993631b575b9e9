"""Texts as a tagger learns them: pieces, the casing of words, and what each word may be.

A word has a set of labels instead of one. Annotation schemes differ: where one knows places but not
towns, rivers and buildings, all three may be right, and a capitalised word outside its names may
still be a title or a people. The loss asks only that the set be likely.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cloze.names.edges import word_range
from cloze.names.language import load_language
from cloze.names.name import Span
from cloze.names.tagged import _ranges
from cloze.names.tokens import Tokens, tokenise
from cloze.readers.pieces import Pieces
from cloze.readers.tagging.casing import Shape, casing, shape
from cloze.readers.tagging.decoding import LABELS, TYPES

ENGLISH = load_language("en", 2)
PLACES = ("GPE", "LOC", "FAC")
OTHERS = ("NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE")
NOT_ASKED = 0  # of a piece that begins no word
ANYTHING = (1 << LABELS) - 1
OUTSIDE = 1

Range = tuple[int, int, str]  # words [first, last) and the type
Types = Callable[[str], Iterable[str]]  # the types that a scheme's type may stand for


class Labelled(NamedTuple):
    words: Sequence[str]
    spacing: Sequence[int]
    allowed: list[int]  # for each word, bits of the labels that it may have


def begins(types: Iterable[str]) -> int:
    return sum(1 << 1 + 2 * TYPES.index(kind) for kind in types)


def inside(types: Iterable[str]) -> int:
    return begins(types) << 1


def labelled(
    words: Sequence[str],
    spacing: Sequence[int],
    names: Iterable[Range],
    types: Types = lambda kind: (kind,),
    *,
    unknown: Collection[int] = (),
    lacking: Collection[str] = (),
) -> Labelled:
    """`unknown` are words that may be anything, `lacking` the types that a scheme does not have."""
    allowed = [OUTSIDE] * len(words)
    if lacking:
        maybe = OUTSIDE | begins(lacking) | inside(lacking)
        for at in _perhaps_names(words, spacing):
            allowed[at] = maybe
    for at in unknown:
        allowed[at] = ANYTHING
    for first, last, kind in names:
        allowed[first:last] = [inside(types(kind))] * (last - first)
        allowed[first] = begins(types(kind))
    return Labelled(words, spacing, allowed)


def _perhaps_names(words: Sequence[str], spacing: Sequence[int]) -> Iterable[int]:
    """Capitalised words that are neither titles nor only at the head of a sentence."""
    never = ENGLISH.titles | ENGLISH.honorifics | ENGLISH.days_and_months
    for at, (word, number) in enumerate(zip(words, casing(words, spacing), strict=True)):
        opens = number >= len(Shape) and word.lower() in ENGLISH.lower_case
        if word[0].isupper() and word not in never and not opens and shape(word) != Shape.SINGLE:
            yield at


def apart(names: Iterable[Range]) -> list[Range]:
    """Without overlaps: the longest first."""
    kept: list[Range] = []
    used: set[int] = set()
    for name in sorted(names, key=lambda n: (n[0] - n[1], n[0])):
        here = set(range(name[0], name[1]))
        if not used & here:
            kept.append(name)
            used |= here
    return sorted(kept)


def edges_as_ours(tokens: Tokens, span: Span) -> list[Range]:
    """Without titles, articles and possessives, as the builder's second rules cut it."""
    return [found for found in _ranges(tokens, [span], ENGLISH) if found[0] < found[1]]


def words_of(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    return word_range(tokens, start, end)


def tokens_of(text: str) -> Tokens:
    return tokenise(text, ENGLISH)


class Cutter:
    """Cuts words into the pieces of a reader."""

    def __init__(self, folder: Path) -> None:
        self.pieces = Pieces.load(folder / Pieces.file)
        self.known: dict[str, np.ndarray] = {}

    def arrays(self, text: Labelled) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each piece: its id, its word's casing, and what its word may be (none but the first
        piece of a word is asked)."""
        self._learn(set(text.words) - self.known.keys())
        cut = [self.known[word] for word in text.words]
        counts = np.fromiter(map(len, cut), np.int64, len(cut))
        allowed = np.zeros(counts.sum(), np.int32)
        allowed[np.cumsum(counts) - counts] = text.allowed
        shapes = np.repeat(casing(text.words, text.spacing), counts)
        return np.concatenate(cut).astype(np.uint16), shapes.astype(np.uint8), allowed

    def _learn(self, new: set[str]) -> None:
        if new:
            ids, counts = self.pieces.ids(sorted(new))
            split = np.split(ids, np.cumsum(counts)[:-1])
            self.known |= dict(zip(sorted(new), split, strict=True))
