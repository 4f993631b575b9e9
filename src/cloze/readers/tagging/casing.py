"""How each word is written, which tokenizers that know no capitals leave out.

One number for each word: the shape of its capitals, and whether it opens a paragraph or a sentence,
where a capital says little.

    Cllr Vennick said: "No."   ->   opens a paragraph and Title, Title, lower, none, none, ...
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from cloze.text import Spacing


class Shape(IntEnum):
    NO_LETTERS = 0
    LOWER = 1
    TITLE = 2
    UPPER = 3
    MIXED = 4  # McBride, iPhone
    NUMBER = 5
    SINGLE = 6  # one capital: J. or A


class Place(IntEnum):
    INSIDE = 0
    OPENS_SENTENCE = 1
    OPENS_PARAGRAPH = 2


NO_WORD = len(Place) * len(Shape)  # the signs around a text
NUMBERS = NO_WORD + 1
_ENDS = frozenset(".!?:")
_AROUND = frozenset(['"', "“", "”", "'", "‘", "’", "``", "''", "(", ")", "]"])


def casing(words: Sequence[str], spacing: Sequence[int]) -> list[int]:
    """
    >>> casing(["MINUTES", "Cllr", "Venn", "left"], [2, 1, 1, 1])
    [17, 16, 2, 1]
    """
    places = _places(words, spacing)
    return [p * len(Shape) + shape(w) for p, w in zip(places, words, strict=True)]


@lru_cache(maxsize=200_000)
def shape(word: str) -> Shape:
    letters = [c for c in word if c.isalpha()]
    if not letters:
        return Shape.NUMBER if any(c.isdigit() for c in word) else Shape.NO_LETTERS
    capitals = sum(c.isupper() for c in letters)
    if not capitals:
        return Shape.LOWER
    if capitals == len(letters):
        return Shape.SINGLE if capitals == 1 else Shape.UPPER
    return Shape.TITLE if capitals == 1 and letters[0].isupper() else Shape.MIXED


def _places(words: Sequence[str], spacing: Sequence[int]) -> list[Place]:
    found, here = [], Place.OPENS_PARAGRAPH
    for word, after in zip(words, spacing, strict=True):
        found.append(here)
        if after == Spacing.PARAGRAPH:
            here = Place.OPENS_PARAGRAPH
        elif word in _ENDS or set(word) == {"."}:
            here = Place.OPENS_SENTENCE
        elif word not in _AROUND:  # a quotation mark leaves the place to the word after it
            here = Place.INSIDE
    return found
