"""Headings in capitals, where capitals do not mean names: MINUTES, FULL TIME, HARBOUR FEES RISE.

Only a name that occurs elsewhere in the data point is a name in a heading too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from cloze.names.language import Language
from cloze.names.tokens import Tokens
from cloze.text import Spacing

T = TypeVar("T")
PARAGRAPH = int(Spacing.PARAGRAPH)
_LONGEST = 16  # words; capitals beyond that are somebody SHOUTING
_LABEL = 4  # words: SECOND CALLER:
_LINKS = frozenset("of the in at for and to on by with from a an".split())
_STOPS = frozenset(". ! ? : ; , ) \" ” ’ '".split())
_DASHES = frozenset("– —".split())
_SMALL = frozenset(["v", "v.", "vs", "vs."])


def headings(tokens: Tokens, language: Language) -> list[tuple[int, int]]:
    """The paragraphs [first, last) that are written in capitals throughout, or with a capital for
    each word; none where they make up half of the text, which then has its capitals for another
    reason."""
    words = tokens.words
    found = []
    first = 0
    for last in (*(end + 1 for end in places_of(PARAGRAPH, tokens.spacing)), len(words)):
        if first < last <= first + _LONGEST and _is_heading(words[first:last], language):
            found.append((first, last))
        elif label := _label(words[first : first + _LABEL], language):
            found.append((first, first + label))
        first = last
    return found if 2 * sum(last - first for first, last in found) < len(words) else []


def _label(words: Sequence[str], language: Language) -> int:
    """How many words in capitals stand before the colon of a paragraph that says who speaks, or
    before the dash of one that says what it is about: CATTLE – Judge: Ann Orlen"""
    if ":" in words:
        colon = words.index(":")
        if all(word.isupper() for word in words[:colon]):
            return colon
    dash = next((place for place, word in enumerate(words) if word in _DASHES), 0)
    is_plain = all(word.isupper() and word.lower() in language.ordinary for word in words[:dash])
    return dash if is_plain else 0


def _is_heading(words: Sequence[str], language: Language) -> bool:
    if words[-1] == ".":
        return False
    if _begins_in_capitals(words) and _in_capitals(words):
        return True
    return len(words) > 2 and _is_headline(words, language)


def _is_headline(words: Sequence[str], language: Language) -> bool:
    """ "Museum of Glass Opens New Wing": even plain words have a capital."""
    if words[-1] in _STOPS or ":" in words:
        return False
    written = [word for word in words if word[0].isalpha() and word not in language.small_in_titles]
    return (
        all(word[0].isupper() for word in written)
        and sum(word.lower() in language.lower_case for word in written[1:]) > 1
    )


def _begins_in_capitals(words: Sequence[str]) -> bool:
    """ "FULL TIME", "3. THE ROOF" """
    return words[0].isupper() or (
        words[0][0].isdigit() and any(word.isupper() for word in words[1:3])
    )


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


def _is_written(word: str) -> bool:
    return (word.isupper() and word.lower() not in _LINKS) or word in ("'", "’")


def _is_whole(words: Sequence[str], place: int, language: Language) -> bool:
    """Whether the heading is the name of one body alone: ORLEN AND DISTRICT HOSPITALS TRUST"""
    return (
        place == len(words) - 1
        and words[0].lower() not in language.ordinary
        and all(word == "AND" or _is_written(word) for word in words)
    )


def act_in_heading(words: Sequence[str], language: Language) -> bool:
    """Whether a heading is the name of a law: TOWN PLANNING ACT 1990"""
    return len(words) > 2 and words[-1].isdigit() and words[-2].title() in language.acts


def bodies_in_heading(words: Sequence[str], language: Language) -> Iterator[tuple[str, ...]]:
    """The organisations that a heading names: what ends in COUNCIL or COURT (OF APPEAL), and is the
    whole heading, stands behind THE, or has a word that is no plain one."""
    for place, word in enumerate(words):
        if word.title() not in language.bodies:
            continue
        first = place
        while first and (
            _is_written(words[first - 1])
            or (words[first - 1] == "AND" and first > 1 and _is_whole(words, place, language))
        ):
            first -= 1
        last = place + 1
        while words[last : last + 1] == ["OF"] and last + 1 < len(words):
            last += 2
            while last < len(words) and words[last].isalpha() and words[last].lower() not in _LINKS:
                last += 1
        inside = words[first:last]
        if len(inside) > 1 and (
            len(inside) == len(words)
            or words[first - 1 : first] == ["THE"]
            or any(word.lower() not in language.ordinary for word in words[first:place])
        ):
            yield tuple(inside)
