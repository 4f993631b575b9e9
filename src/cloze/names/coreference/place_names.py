"""Places whose names are used without the word for what they are: the second rules.

River Wend … the Wend         Kuramo State … Kuramo        Isle of Mor … Mor
Upper Lode … Lode             but never York for New York
"""

from collections.abc import Iterator

from cloze.names.language import Language
from cloze.names.name import OTHER, Name

_NO_PLACES = frozenset(["PERSON", "NORP", "LANGUAGE", "WORK_OF_ART", "LAW"])
_PLACES = frozenset(["GPE", "LOC", "FAC", OTHER])
_OF = frozenset(["of", "de", "du", "del", "di", "da"])
Words = tuple[str, ...]


def without_kind(words: Words, language: Language) -> Iterator[Words]:
    """
    >>> from cloze.names.language import load_language
    >>> list(without_kind(("Isle", "of", "Mor"), load_language("en", 2)))
    [('Mor',)]
    """
    *before, last = words
    if (
        before[-1] in language.kinds_of_places
        or (len(words) == 2 and words[0] in language.parts_of_places)
        or (len(words) > 2 and words[-2] in _OF and words[-3] in language.places_of)
    ):
        yield (last,)
    if last in language.divisions:
        yield tuple(before)


def is_same_place(short: Name, longer: Name, language: Language) -> bool:
    """Of a part, such as Upper Lode, less is believed: firms and works have such names too. So have
    clubs: Alderby is not Alderby Town."""
    if short.words[0] in language.known_places or short.words[-1] in language.named_twice:
        return False
    if short.words[-1].lower() in language.ordinary or longer.type in _NO_PLACES:
        return False
    of_others = longer.words[0] in language.parts_of_places or longer.words[-1] in language.clubs
    if of_others and longer.type not in _PLACES:
        return False
    return short.located or short.type != "PERSON" or longer.words[0] in language.kinds_of_places
