"""Places whose names are used without the word for what they are: the second rules.

River Wend … the Wend         Kuramo State … Kuramo        Isle of Mor … Mor
Upper Lode … Lode             Torrecilla de la Sierra … Torrecilla
Posada del Molino … Molino    but never York for New York
"""

from collections.abc import Iterator

from cloze.names.language import Language
from cloze.names.name import OTHER, Name

_NO_PLACES = frozenset(["PERSON", "NORP", "LANGUAGE", "WORK_OF_ART", "LAW"])
_PLACES = frozenset(["GPE", "LOC", "FAC", OTHER])
_TOWNS = frozenset(["GPE", "LOC"])
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
    if len(words) == 3 and words[0] in language.kinds_of_places and words[1][0].isupper():
        yield words[1:]
    if last in language.divisions:
        yield tuple(before)
    link = next((at for at in range(1, len(before)) if words[at] in language.inside_places), 0)
    if link and words[0] in language.sites_abroad:
        while link < len(before) and words[link] in language.inside_places:
            link += 1
        yield words[link:]
    elif link and words[0] not in language.bodies_abroad:
        yield words[: link - (words[link - 1] == "-")]


def is_same_place(short: Name, longer: Name, language: Language) -> bool:
    """Of a part, such as Upper Lode, less is believed: firms and works have such names too. So have
    clubs: Alderby is not Alderby Town."""
    if short.words[0] in language.known_places or short.words[-1] in language.named_twice:
        return False
    is_plain = all(word.lower() in language.ordinary for word in short.words)
    if is_plain or longer.type in _NO_PLACES:
        return False
    if short.words == longer.words[: len(short.words)] and longer.words[-1] not in (
        language.divisions
    ):
        return longer.type in _TOWNS and short.type != "NORP"  # Torrecilla de la Sierra
    if longer.words[0] in language.sites_abroad and longer.words[1] in language.inside_places:
        return not short.located  # the town may be called Molino too
    of_others = longer.words[0] in language.parts_of_places or longer.words[-1] in language.clubs
    if of_others and longer.type not in _PLACES:
        return False
    return short.located or short.type != "PERSON" or longer.words[0] in language.kinds_of_places
