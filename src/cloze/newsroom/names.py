"""Entities and how they are called.

Everything is drawn at random, so that no reader can know a story's names from elsewhere. Within a
story no two names share a drawn word, unless one is named after the other (a club after its city)
or two people have the same surname.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cloze.newsroom import name_parts as parts
from cloze.newsroom.dice import Dice
from cloze.newsroom.kinds import PATTERNS, PLURAL

HE = {"he": "he", "him": "him", "his": "his", "man": "man", "honorific": "Mr"}
SHE = {"he": "she", "him": "her", "his": "her", "man": "woman", "honorific": "Ms"}
IT = {"he": "it", "him": "it", "his": "its"}
THEY = {"he": "they", "him": "them", "his": "their"}

_SIGN = re.compile(r"[~^@%&=!$*#]")
_POOLS: dict[str, Sequence[str]] = {
    "~": parts.CITIES,
    "@": parts.SURNAMES,
    "%": parts.BRANDS,
    "&": parts.EMBLEMS,
    "=": parts.NICKNAMES,
    "!": parts.WOMEN,
    "$": parts.ADJECTIVES,
    "*": parts.NOUNS,
}
_SHARED_SURNAME = 0.03  # of all people after the first


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a name; "the" may precede it but is not part of it."""

    text: str
    the: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Entity:
    kind: str
    label: str
    full: Form
    short: Form | None
    pronouns: dict[str, str]
    abbreviation: bool = False  # the short form has to be introduced: "... (KTA)"
    job: str | None = None  # a person's


class Namer:
    """Draws the names of one story, never the same word twice."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._used: set[str] = set()
        self._nationality: dict[str, str] = {}  # by country
        self._surnames: list[str] = []
        self.shared_surnames: set[str] = set()

    def person(self, job: str | None, woman: bool | None = None) -> Entity:
        if woman is None:
            woman = self._dice.chance(0.5)
        first = self._fresh(parts.WOMEN if woman else parts.MEN)
        if self._surnames and self._dice.chance(_SHARED_SURNAME):
            last = self._dice.pick(self._surnames)
            self.shared_surnames.add(last)
        else:
            last = self._fresh(parts.SURNAMES)
            self._surnames.append(last)
        name, pronouns = Form(f"{first} {last}"), SHE if woman else HE
        return Entity("person", "PERSON", name, Form(last), pronouns, job=job)

    def country(self) -> Entity:
        stem = self._fresh(parts.COUNTRY_STEMS)
        country, nationality = self._dice.pick(parts.COUNTRY_ENDINGS)
        self._nationality[stem + country] = stem + nationality
        return Entity("country", "GPE", Form(stem + country), None, IT)

    def nationality(self, country: Entity) -> Entity:
        name = Form(self._nationality[country.full.text])
        return Entity("nationality", "NORP", name, None, THEY)

    def thing(self, kind: str, city: str | None, country: Entity) -> Entity:
        """An organisation, place, work or product of that city (or a new one) and country."""
        label, patterns = PATTERNS[kind]
        full, _, short = self._dice.pick(patterns.split("; ")).partition("|")
        drawn: dict[str, str] = {}

        def draw(match: re.Match[str]) -> str:
            sign = match[0]
            if sign == "~" and city:
                word = city
            elif sign == "^":
                word = self._nationality[country.full.text]
            elif sign == "#":
                word = str(self._dice.between(2, 99))
            else:
                word = self._fresh(_POOLS[sign])
            drawn[sign] = word
            return word

        name = _form(_SIGN.sub(draw, full))
        abbreviation = "abbr" in short
        short = _SIGN.sub(lambda match: drawn[match[0]], short)
        if abbreviation:
            initials = "".join(word[0] for word in name.text.split())
            if initials in self._used:  # two bodies with these initials: keep both long
                short, abbreviation = "", False
            self._used.add(initials)
            short = short.replace("abbr", initials)
        brief = _form(short) if short else None
        pronouns = THEY if kind in PLURAL else IT
        return Entity(kind, label, name, brief, pronouns, abbreviation)

    def _fresh(self, pool: Sequence[str]) -> str:
        word = self._dice.pick(pool)
        while word in self._used:
            word = self._dice.pick(pool)
        self._used.add(word)
        return word


def _form(text: str) -> Form:
    return Form(text.removeprefix("the "), text.startswith("the "))
