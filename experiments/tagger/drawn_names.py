"""Names of people, places, bodies and things, drawn at random for made-up texts."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from labels import ENGLISH
from news import Pools, made_up

WORDS: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "words.toml").read_text(encoding="utf-8")
)
_LETTERS = "ABCDEFGHJKLMNPRSTVW"
_GIVEN = sorted(ENGLISH.given_names)


class Person(NamedTuple):
    full: str
    surname: str
    given: str
    title: str


class Body(NamedTuple):
    full: str
    short: str
    head: str = ""
    initials: str = ""


class Names:
    """Draws names."""

    def __init__(self, pools: Pools, random: Random) -> None:
        self.pools, self.random, self.one = pools, random, random.choice

    def word(self, sort: str, known: float) -> str:
        """One met in the news, or one made up."""
        is_known = self.random.random() < known
        return self.one(self.pools[sort]) if is_known else made_up(sort, self.random)

    def given(self) -> str:
        if self.random.random() < 0.25:
            return made_up("PERSON", self.random)
        return self.one((self.one(self.pools["given"][:6000]), self.one(_GIVEN)))

    def surname(self) -> str:
        r, own = self.random.random(), self.word("PERSON", 0.55)
        other = self.word("PERSON", 0.55)
        if r < 0.82:
            return own
        if r < 0.91:
            particle = self.one(["de la", "van der", "van", "de", "von", "bin", "al", "di", "Dela"])
            return self.one([f"{own}-{other}", f"{particle} {own}"])
        prefix = self.one(["O'", "Mc", "Mac", "D'", "al-", "El-", "Fitz"])
        return self.one([prefix + own, f"{own} y {other}", f"{own} {other}"])

    def person(self) -> Person:
        given, surname, r = self.given(), self.surname(), self.random.random()
        first = given
        if r < 0.08:
            first = f"{self.one(_LETTERS)}. {self.one(_LETTERS)}."
        elif r < 0.2:
            first = f"{given} {self.one([f'{self.one(_LETTERS)}.', self.given()])}"
        elif r < 0.24:
            first = given = f"{given}-{self.given()}"
        return Person(f"{first} {surname}", surname, given, self.one(WORDS["titles"]))

    def town(self) -> str:
        r, own = self.random.random(), self.word("GPE", 0.4)
        if r < 0.82:
            return own
        before = self.one(
            ["Great", "Little", "Upper", "North", "New", "Port", "San", "St", "Saint"]
        )
        after = self.one(["Bay", "Heights", "City", "Hill", "Cross", "Island", "County", "State"])
        river = f"{self.one(['on', 'upon', 'under', 'by'])}-{made_up('GPE', self.random)}"
        return self.one([f"{before} {own}", f"{own} {after}", f"{own}-{river}"])

    def body(self) -> Body:
        makers: list[tuple[float, Callable[[], Body]]] = [
            (0.42, self._local), (0.1, self._club), (0.2, self._firm), (0.06, self._partners),
            (0.08, self._ministry), (0.07, self._authority), (0.07, self._university),
        ]  # fmt: skip
        return self.random.choices([m for _, m in makers], [share for share, _ in makers])[0]()

    def _local(self) -> Body:
        kind = self.one(WORDS["kinds_of_bodies"])
        base = self.one([self.town(), self.town(), self.word("ORG", 0), self.surname()])
        full = f"{base} {kind}"
        head = kind.split()[0 if re.search(" of | for ", kind) else -1]
        short = base if self.random.random() < 0.25 else full
        letters = "".join(w[0] for w in re.split(r"[\s-]", full) if w[0].isupper())
        return Body(full, short, "" if head == "Police" else head, letters)

    def _club(self) -> Body:
        base, club = self.town(), self.one(WORDS["clubs"])
        return Body(f"{base} {club}", self.one([base, club]))

    def _firm(self) -> Body:
        name = self.word("ORG", 0.4)
        return Body(f"{name} {self.one(WORDS['firms'])}", name)

    def _partners(self) -> Body:
        name, other = self.surname(), self.one([self.surname(), "Sons", "Partners", "Co"])
        return Body(f"{name} {self.one(['&', 'and'])} {other}", name)

    def _ministry(self) -> Body:
        what = self.one(
            ["Ministry of", "Department of", "Department for", "Bureau of", "Office of"]
        )
        full = f"{what} {self.one(WORDS['things'])}"
        if self.random.random() < 0.3:
            full += f" and {self.one(WORDS['things'])}"
        return Body(full, full, what.split()[0])

    def _authority(self) -> Body:
        reach = self.one(["National", "Federal", "Royal", "State", "International", "Independent"])
        head = self.one(["Authority", "Board", "Commission", "Agency", "Council", "Institute"])
        full = f"{reach} {self.one(WORDS['things'])} {head}"
        letters = "".join(word[0] for word in full.split())
        return Body(full, letters, head, letters)

    def _university(self) -> Body:
        kind = self.one(["Church", "School", "Hospital", "College", "Hospice", "Parish"])
        saint, university = f"St {self.given()}'s {kind}", f"University of {self.town()}"
        return self.one([Body(saint, saint), Body(university, university, "University")])

    def site(self) -> str:
        return f"{self.one([self.town(), self.surname()])} {self.one(WORDS['sites'])}"

    def land(self) -> str:
        name = self.word("GPE", 0.3)
        before = ["River", "Lake", "Mount", "Col de", "Cape", "Isle of", "Bay of"]
        after = ["Bay", "Valley", "Hills", "Sea", "Forest", "Marshes", "River", "Moor", "Delta"]
        return self.one([f"{self.one(before)} {name}", f"{name} {self.one(after)}"])

    def work(self) -> str:
        a, b, adjective = self._noun(), self._noun(), self.one(WORDS["adjectives"])
        return self.one([
            f"The {a} of {b}", f"Notes on a {adjective} {a}", f"A {a} for the {b}",
            f"The {adjective} {a}", f"{adjective} {a}", f"{a}s and {b}s", f"Night of the {a}",
            f"The {a} and the {b}", f"{self.given()}'s {a}", a, f"{adjective} {a} at the {b}",
            f"Songs from a {adjective} {a}", f"Where the {a}s Are", f"{adjective} Is the {a}",
        ])  # fmt: skip

    def event(self) -> str:
        noun, town = self._noun(), self.town()
        kinds = ["Cup", "Festival", "Open", "Grand Prix", "Flower Show", "Marathon", "Regatta"]
        before = ["Tour of", "Battle of", "Treaty of", "Siege of"]
        return self.one([
            f"Night of the {noun}s", f"Festival of {noun}s", f"Giro of the {noun}s", f"{noun} Week",
            f"{town} {self.one(kinds)}", f"{town} {self.one(kinds)}", f"{self.one(before)} {town}",
        ])  # fmt: skip

    def law(self) -> str:
        what, other = self.one(WORDS["things"]), self.one(WORDS["things"])
        year = self.random.randint(1890, 2024)
        return self.one([
            f"{what} Act {year}", f"{what} and {other} Act {year}", f"{what} Act of {year}",
            f"{what} (Amendment) Act {year}", f"{what} Ordinance {year}", "Constitution",
        ])  # fmt: skip

    def product(self) -> str:
        name, number = made_up("ORG", self.random), self.random.randint(2, 900)
        letter = self.one("XKRSZ")
        return self.one(
            [name, f"{name} {self._noun()}", f"{name} {number}", f"{name} {letter}{number}"]
        )

    def _noun(self) -> str:
        return self.one(WORDS["nouns"])
