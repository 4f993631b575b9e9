"""The parts that names are made of: the lists of `name_parts.txt`."""

from cloze.newsroom.word_lists import sections

_LISTS = sections("name_parts.txt")


def _join(name: str) -> tuple[str, ...]:
    heads, tails = (_LISTS[f"{name}: {half}"].split() for half in ("heads", "tails"))
    return tuple(head + tail for head in heads for tail in tails)


WOMEN = tuple(_LISTS["women"].split())
MEN = tuple(_LISTS["men"].split())
SURNAMES = _join("surnames")
CITIES = _join("cities")
COUNTRY_STEMS = _join("country stems")
COUNTRY_ENDINGS = (("ia", "ian"), ("a", "an"), ("istan", "i"))  # country, nationality
BRANDS = _join("brands")
EMBLEMS = tuple(_LISTS["emblems"].split())
NICKNAMES = tuple(_LISTS["nicknames"].split())
ADJECTIVES = tuple(_LISTS["adjectives"].split())
NOUNS = tuple(_LISTS["nouns"].split())
