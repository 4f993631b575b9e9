"""Where the name in a span begins and ends: taggers take in too much, or run on.

anti-[U.S.]    [Obama]'s    President [Ann Tillow]    When [Walter Pim]    [Kassim], [Pardew]
"""

from bisect import bisect_left
from collections.abc import Sequence

from cloze.names.capitals import opens_sentence
from cloze.names.language import Language
from cloze.names.tokens import Tokens

_TITLED = frozenset(["WORK_OF_ART", "EVENT", "LAW", "PRODUCT"])  # may begin with any word
_CUTS = frozenset(", ( ) [ ] / ; --".split())
_HYPHENS = frozenset("-–")


def word_range(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The tokens that the characters [start, end) touch."""
    first = bisect_left(tokens.starts, start)
    if first and (first == len(tokens.starts) or tokens.starts[first] > start):
        before = first - 1
        if tokens.starts[before] + len(tokens.words[before]) > start:
            first = before
    return first, bisect_left(tokens.starts, end, lo=first)


def name_range(tokens: Tokens, start: int, end: int, language: Language) -> tuple[int, int]:
    """The tokens of the name in the characters [start, end), without title or article."""
    return trim(tokens, *word_range(tokens, start, end), "PERSON", language)


def pieces(
    words: Sequence[str], first: int, last: int, label: str, language: Language
) -> list[tuple[int, int]]:
    """Taggers run on over lists and brackets: "Kassig, Henning", "Pharrell (Williams"."""
    cuts = [
        place
        for place in range(first, last)
        if (words[place] in _CUTS or words[place] in language.around_titles)
        and not _belongs(words, place, label, language)
    ]
    return list(zip([first, *(i + 1 for i in cuts)], [*cuts, last], strict=True))


def _belongs(words: Sequence[str], place: int, label: str, language: Language) -> bool:
    """Titles hold commas, and so do "September 11, 2001", "Washington, D.C." and "Apple, Inc."."""
    if words[place] == ",":
        after = words[place + 1] if place + 1 < len(words) else ""
        return label in _TITLED or after in language.after_comma
    # Marion "Suge" Knight
    quoted = label == "PERSON" and words[place] in language.around_titles
    return quoted and words[place + 2 : place + 3] != []


def trim(tokens: Tokens, first: int, last: int, label: str, language: Language) -> tuple[int, int]:
    """Without articles, offices and punctuation around the name: "anti-[U.S.]", "[Obama]'s"."""
    words = tokens.words
    while last > first and (
        words[last - 1] in language.possessives or not _has_letter(words[last - 1])
    ):
        last -= 1
    while last > first and words[last - 1] in language.hanging:
        last -= 1
    if last - first > 2 and words[last - 2] in _HYPHENS and words[last - 1] in language.compounded:
        last -= 2
    while first < last:
        word = words[first]
        if word in language.articles and _is_of_title(words, first, label, language):
            break
        if word in language.articles or not _has_letter(word):
            first += 1
        elif first + 2 < last and words[first + 1] in _HYPHENS and word in language.prefixes:
            first += 2
        elif (
            first + 1 < last
            and label not in _TITLED
            and _leads(tokens, first, last, label, language)
        ):
            first += 1
        else:
            break
    return first, last


def _is_of_title(words: Sequence[str], place: int, label: str, language: Language) -> bool:
    """The article of "The Sound of Music" is part of it."""
    return label == "WORK_OF_ART" and place > 0 and words[place - 1] in language.around_titles


def _leads(tokens: Tokens, place: int, last: int, label: str, language: Language) -> bool:
    """Whether the word only precedes a name: "When [Walter Isaacson]", "Producer [Tymon]"."""
    word = tokens.words[place]
    if language.rules >= 2 and tokens.words[place + 1] in language.linking:
        return False  # Duke of Cambridge
    if word in language.honorifics:
        return True
    if language.rules >= 2 and label == "PERSON" and word in language.plain:
        return place + 2 < last  # Secretary of State [Ann Tillow]
    if word in language.offices:
        return label == "PERSON" or opens_sentence(tokens, place, language)
    return word in language.openers and opens_sentence(tokens, place, language)


def _has_letter(word: str) -> bool:
    return word[0].isalnum() or any(c.isalnum() for c in word)
