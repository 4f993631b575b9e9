"""Sieves on how a name is written: the same letters, known twins, flights."""

import re
from collections.abc import Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.mentions import Name

_ARTICLES = frozenset(["the", "a", "an"])

# Names of one thing that no rule on letters can tell. A party is its members, but a country and its
# people are two entities.
_TWINS = (
    ("us", "usa", "unitedstates", "unitedstatesofamerica", "america"),
    ("uk", "unitedkingdom", "britain", "greatbritain"),
    ("un", "unitednations"),
    ("eu", "europeanunion"),
    ("uae", "unitedarabemirates"),
    ("isis", "isil", "islamicstate", "islamicstateiniraqandsyria", "islamicstateofiraqandsyria",
     "islamicstateiniraqandthelevant", "islamicstateofiraqandthelevant", "daesh"),
    ("washingtondc", "dc", "districtofcolumbia"),
    ("newyorkcity", "nyc"),
    ("losangeles", "la"),
    ("burma", "myanmar"),
    ("drcongo", "drc", "democraticrepublicofcongo", "democraticrepublicofthecongo"),
    ("alqaeda", "alqaida"),
    ("gop", "republicanparty", "republicans"),
    ("democraticparty", "democrats"),
    ("vatican", "vaticancity"),
)  # fmt: skip
_TWIN_OF = {spelling: twins[0] for twins in _TWINS for spelling in twins}


def letters(words: Sequence[str]) -> str:
    """The letters and digits of a name without its articles: what two spellings share.

    >>> letters(["The", "U.S."]), letters(["al", "-", "Qaeda"]), letters(["Al", "Qaeda"])
    ('us', 'alqaeda', 'alqaeda')
    """
    kept = [word for word in words if word.lower() not in _ARTICLES] or words
    return "".join(c for c in "".join(kept).lower() if c.isalnum())


def twin_of(words: Sequence[str]) -> str | None:
    """The spelling that stands for all known twins of a name, if it has any."""
    return _TWIN_OF.get(letters(words))


def same_spelling(names: Sequence[Name], clusters: Clusters) -> None:
    """ "U.S." and "US", "Al-Qaeda" and "al Qaeda", "BOSTON" and "Boston"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        key = letters(name.words)
        clusters.join(number, seen.setdefault(key, number), "same spelling")


def known_twins(names: Sequence[Name], clusters: Clusters) -> None:
    """ "United States" and "America", "Britain" and "UK", "ISIS" and "ISIL"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        twin = twin_of(name.words)
        if twin is not None and name.type != "PERSON":
            clusters.join(number, seen.setdefault(twin, number), "known twins")


_FLIGHT = re.compile(r"(?:[A-Z]{1,2}|[A-Z]\d)?(\d{2,4})")


def flights(names: Sequence[Name], clusters: Clusters) -> None:
    """ "Malaysia Airlines Flight 370", "Flight 370" and "MH370"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        found = _FLIGHT.fullmatch(name.words[-1])
        if found and ("Flight" in name.words or not name.words[-1].isdigit()):
            clusters.join(number, seen.setdefault(found[1], number), "flight")
