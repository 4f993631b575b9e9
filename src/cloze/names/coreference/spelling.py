"""Sieves on how a name is written: the same letters, known twins, flights."""

import re
from collections.abc import Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Name


def letters(words: Sequence[str], language: Language) -> str:
    """The letters and digits of a name without its articles: what two spellings share.

    >>> from cloze.names.language import load_language
    >>> names = ["The", "U.S."], ["al", "-", "Qaeda"], ["Al", "Qaeda"]
    >>> [letters(name, load_language("en")) for name in names]
    ['us', 'alqaeda', 'alqaeda']
    """
    # Quicker for most; elsewhere a small letter may be two characters, such as that of "İ".
    if len(words) == 1 and words[0].isascii() and words[0].isalpha():
        return words[0].lower()
    kept = [word for word in words if word.lower() not in language.lower_articles] or words
    if language.saints and len(kept) > 1:
        kept = _written_out(kept, language)
    return "".join(filter(str.isalnum, "".join(kept).lower()))


def _written_out(words: Sequence[str], language: Language) -> Sequence[str]:
    """ "St Lucia" as "Saint Lucia", "Harcourt and Pell" as "Harcourt & Pell"."""
    if words[0] in language.saints:
        words = ["saint", *words[1:]]
    return [word for word in words if word != "and"] if "and" in words else words


def twin_of(words: Sequence[str], language: Language) -> str | None:
    """The spelling that represents all known twins of a name, if it has any."""
    return language.twin_of.get(letters(words, language))


def same_spelling(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "U.S." and "US", "Al-Qaeda" and "al Qaeda", "BOSTON" and "Boston"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        key = letters(name.words, language)
        clusters.join(number, seen.setdefault(key, number), "same spelling")


def known_twins(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "United States" and "America", "Britain" and "UK", "ISIS" and "ISIL"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        twin = None if name.type == "PERSON" else twin_of(name.words, language)
        if twin is not None:
            clusters.join(number, seen.setdefault(twin, number), "known twins")


_FLIGHT = re.compile(r"(?:[A-Z]{1,2}|[A-Z]\d)?(\d{2,4})")


def flights(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Malaysia Airlines Flight 370", "Flight 370" and "MH370"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        found = _FLIGHT.fullmatch(name.words[-1])
        if not found:
            continue
        if not name.words[-1].isdigit() or not language.flights.isdisjoint(name.words):
            clusters.join(number, seen.setdefault(found[1], number), "flight")
