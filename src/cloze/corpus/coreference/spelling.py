"""Sieves on how a name is written: the same letters, singular and plural peoples, known twins."""

from collections.abc import Sequence

from cloze.corpus.coreference.clusters import Clusters
from cloze.corpus.mentions import Name

_ARTICLES = frozenset(["the", "a", "an"])

# Names of one thing that no rule on letters can tell. Nationalities are not among them: a country
# and its people are two entities.
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
    ("gop", "republicanparty"),
)  # fmt: skip
_TWIN_OF = {spelling: twins[0] for twins in _TWINS for spelling in twins}


def letters(words: Sequence[str]) -> str:
    """The letters and digits of a name without its articles: what two spellings share.

    >>> letters(["The", "U.S."]), letters(["al", "-", "Qaeda"]), letters(["Al", "Qaeda"])
    ('us', 'alqaeda', 'alqaeda')
    """
    kept = [word for word in words if word.lower() not in _ARTICLES] or words
    return "".join(c for c in "".join(kept).lower() if c.isalnum())


def same_spelling(names: Sequence[Name], clusters: Clusters) -> None:
    """ "U.S." and "US", "Al-Qaeda" and "al Qaeda", "BOSTON" and "Boston"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        key = letters(name.words)
        clusters.join(number, seen.setdefault(key, number), "same spelling")


def plural_peoples(names: Sequence[Name], clusters: Clusters) -> None:
    """ "Republicans" and "Republican", "Iraqis" and "Iraqi": one people, never their country."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        if name.type == "NORP":
            key = letters(name.words).removesuffix("s")
            clusters.join(number, seen.setdefault(key, number), "plural people")


def known_twins(names: Sequence[Name], clusters: Clusters) -> None:
    """ "United States" and "America", "Britain" and "UK", "ISIS" and "ISIL"."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        twin = _TWIN_OF.get(letters(name.words))
        if twin is not None and name.type not in ("NORP", "PERSON"):
            clusters.join(number, seen.setdefault(twin, number), "known twins")
