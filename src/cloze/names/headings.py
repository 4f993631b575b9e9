"""Headings in capitals, where capitals do not mean names: MINUTES, FULL TIME, HARBOUR FEES RISE.

Only a name that occurs elsewhere in the data point is a name in a heading too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from cloze.names.tokens import Tokens
from cloze.text import Spacing

T = TypeVar("T")
PARAGRAPH = int(Spacing.PARAGRAPH)
_LONGEST = 16  # words; longer than that, it is somebody SHOUTING
_SMALL = frozenset(["v", "v.", "vs", "vs."])


def headings(tokens: Tokens) -> list[tuple[int, int]]:
    """The paragraphs [first, last) that are all in capitals; none if they make up half of the text,
    which is then written in capitals for another reason."""
    words = tokens.words
    found = []
    first = 0
    for last in (*(end + 1 for end in places_of(PARAGRAPH, tokens.spacing)), len(words)):
        if first < last and words[first].isupper() and _in_capitals(words[first:last]):
            found.append((first, last))
        first = last
    return found if 2 * sum(last - first for first, last in found) < len(words) else []


def places_of(wanted: T, sequence: Sequence[T]) -> Iterator[int]:
    """The positions of something in a list: quicker than looking at each item."""
    place = -1
    try:
        while True:
            place = sequence.index(wanted, place + 1)
            yield place
    except ValueError:
        return


def _in_capitals(words: Sequence[str]) -> bool:
    if len(words) > _LONGEST:
        return False
    written = [word for word in words if word[0].isalpha() and word not in _SMALL]
    return all(word.isupper() for word in written) and any(len(word) > 2 for word in written)


def names_in_heading(
    words: Sequence[str], known: Mapping[str, Sequence[tuple[tuple[str, ...], int]]]
) -> Iterator[tuple[int, int, int]]:
    """Where known names occur in a heading's words, as (first, last, which); `known` has them in
    capitals by their first word, the longest first."""
    free = 0
    for first, word in enumerate(words):
        if first < free:
            continue
        for name, number in known.get(word, ()):
            last = first + len(name)
            if tuple(words[first:last]) == name:
                yield first, last, number
                free = last
                break
