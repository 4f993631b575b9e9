"""Where a name begins and ends in a span: taggers take in too much, or run on.

anti-[U.S.]    [Obama]'s    President [Ann Tillow]    When [Walter Pim]    [Kassim], [Pardew]
"""

from bisect import bisect_left
from collections.abc import Sequence

from cloze.names.capitals import QUOTES, opens_sentence
from cloze.names.lexicon import ARTICLES, OFFICES, OPENERS
from cloze.names.tokens import Tokens

_TITLED = frozenset(["WORK_OF_ART", "EVENT", "LAW", "PRODUCT"])  # may begin with any word
_CLITICS = frozenset(["'s", "’s", "'S", "’S", "'", "’"])
_CUTS = frozenset(', ( ) [ ] / ; -- " “ ”'.split())
_AFTER_COMMA = frozenset("D.C. DC Inc. Inc LLC Ltd. Ltd Jr. Jr Sr.".split())
_HANGING = frozenset("and or of in for at on the to & from by with".split())
_HYPHENS = frozenset("-–")
_COMPOUNDED = frozenset("led made born based backed style era owned trained linked bound".split())
_PREFIXES = frozenset("anti Anti pro Pro non Non ex Ex then mid post pre ultra pan neo".split())


def word_range(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The tokens that the characters [start, end) touch."""
    first = bisect_left(tokens.starts, start)
    if first and (first == len(tokens.starts) or tokens.starts[first] > start):
        before = first - 1
        if tokens.starts[before] + len(tokens.words[before]) > start:
            first = before
    return first, bisect_left(tokens.starts, end, lo=first)


def name_range(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The tokens of the name that the characters [start, end) hold, without title or article."""
    return trim(tokens, *word_range(tokens, start, end), "PERSON")


def pieces(words: Sequence[str], first: int, last: int, label: str) -> list[tuple[int, int]]:
    """Taggers run on over lists and brackets: "Kassig, Henning", "Pharrell (Williams"."""
    cuts = [i for i in range(first, last) if words[i] in _CUTS and not _belongs(words, i, label)]
    return list(zip([first, *(i + 1 for i in cuts)], [*cuts, last], strict=True))


def _belongs(words: Sequence[str], place: int, label: str) -> bool:
    """Titles hold commas, and so do "September 11, 2001", "Washington, D.C." and "Apple, Inc."."""
    if words[place] == ",":
        after = words[place + 1] if place + 1 < len(words) else ""
        return label in _TITLED or after in _AFTER_COMMA
    # Marion "Suge" Knight
    return label == "PERSON" and words[place] in '"“”' and words[place + 2 : place + 3] != []


def trim(tokens: Tokens, first: int, last: int, label: str) -> tuple[int, int]:
    """Without articles, offices and punctuation around the name: "anti-[U.S.]", "[Obama]'s"."""
    words = tokens.words
    while last > first and (words[last - 1] in _CLITICS or not _has_letter(words[last - 1])):
        last -= 1
    while last > first and words[last - 1] in _HANGING:
        last -= 1
    if last - first > 2 and words[last - 2] in _HYPHENS and words[last - 1] in _COMPOUNDED:
        last -= 2
    while first < last:
        word = words[first]
        if word in ARTICLES and _is_of_title(words, first, label):
            break
        if word in ARTICLES or not _has_letter(word):
            first += 1
        elif first + 2 < last and words[first + 1] in _HYPHENS and word in _PREFIXES:
            first += 2
        elif first + 1 < last and label not in _TITLED and _leads(tokens, first, label):
            first += 1
        else:
            break
    return first, last


def _is_of_title(words: Sequence[str], place: int, label: str) -> bool:
    """The article of "The Sound of Music" is part of it."""
    return label == "WORK_OF_ART" and place > 0 and words[place - 1] in QUOTES


def _leads(tokens: Tokens, place: int, label: str) -> bool:
    """Whether the word stands in front of a name: "When [Walter Isaacson]", "Producer [Tymon]"."""
    word = tokens.words[place]
    if word in OFFICES:
        return label == "PERSON" or opens_sentence(tokens, place)
    return word in OPENERS and opens_sentence(tokens, place)


def _has_letter(word: str) -> bool:
    return word[0].isalnum() or any(c.isalnum() for c in word)
