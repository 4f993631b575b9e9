"""Made-up texts in many manners, with exact labels: the lines of manners.txt, filled from a cast.

    Cllr {s} proposed, and Cllr {s} seconded, that the minutes of {month} be approved.

Each text has people, places and bodies of its own, which come back in other forms: a person by
surname, title or given name, a body by its short form, its initials or its head ("the Board").
"""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from drawn_names import WORDS, Names
from labels import Labelled, apart, labelled, tokens_of, words_of
from news import Pools

HERE = Path(__file__).parent
_SLOT = re.compile(r"\{(\w+)\}")
Part = tuple[str, str | None]  # a piece of text, and its type if it is a name


class Cast:
    """The people, places and bodies of one text, and which of them were mentioned."""

    def __init__(self, names: Names) -> None:
        self.names, self.random, self.one = names, names.random, names.one
        self.people = [names.person() for _ in range(self.random.randint(3, 7))]
        self.bodies = [names.body() for _ in range(self.random.randint(2, 4))]
        self.things = {
            "g": ("GPE", [names.town(), names.town(), names.town(), self.one(WORDS["countries"])]),
            "l": ("LOC", [names.land(), names.land()]),
            "f": ("FAC", [names.site(), names.site()]),
            "w": ("WORK_OF_ART", [names.work(), names.work()]),
            "e": ("EVENT", [names.event(), names.event()]),
            "L": ("LAW", [names.law()]),
            "x": ("PRODUCT", [names.product(), names.product()]),
            "n": ("NORP", [self.one(WORDS["peoples"]), self.one(WORDS["peoples"])]),
            "lang": ("LANGUAGE", WORDS["languages"]),
        }
        self.said: set[str] = set()
        self.last = self.bodies[0]

    def parts(self, line: str) -> Iterator[Part]:
        done = 0
        for slot in _SLOT.finditer(line):
            yield line[done : slot.start()], None
            yield from self._filled(slot[1])
            done = slot.end()
        yield line[done:], None

    def _filled(self, slot: str) -> list[Part]:
        if slot in self.things:
            kind, known = self.things[slot]
            return [(self.one(known), kind)]
        if slot in ("p", "P", "s", "G", "t"):
            return self._person(slot)
        if slot in ("o", "O", "h", "A"):
            return [(self._body(slot), "ORG")]
        return [(_plain(slot, self.random), None)]

    def _person(self, slot: str) -> list[Part]:
        person = self.one(self.people[:4] if self.random.random() < 0.7 else self.people)
        is_new = person.full not in self.said
        self.said.add(person.full)
        title: Part = (f"{person.title} ", None)
        if slot == "p":
            slot = self._form(is_new)
        if slot == "t":
            short = not is_new and self.random.random() < 0.8
            return [title, (person.surname if short else person.full, "PERSON")]
        forms = {"P": person.full, "s": person.surname, "G": person.given}
        return [(forms[slot], "PERSON")]

    def _form(self, is_new: bool) -> str:
        shares = (80, 0, 0, 20) if is_new else (14, 58, 10, 18)
        return self.random.choices("PsGt", shares)[0]

    def _body(self, slot: str) -> str:
        if slot == "A":
            return self.last.initials or self.last.short
        heads = [b.head for b in self.bodies if b.head and b.full in self.said]
        if slot == "h" and heads:
            return self.one(heads)
        self.last = self.one(self.bodies)
        is_new = self.last.full not in self.said
        self.said.add(self.last.full)
        in_full = is_new or slot == "O" or self.random.random() < 0.35
        return self.last.full if in_full else self.last.short


def _plain(slot: str, random: Random) -> str:
    """What is no name."""
    one, number = random.choice, random.randint
    month, day = one(WORDS["months"]), one(WORDS["days"])
    clock = f"{number(1, 23)}{one('.:')}{number(10, 59)}"
    return {
        "T": one(WORDS["titles"]), "R": one(WORDS["roles"]), "r": one(WORDS["roles"]).lower(),
        "num": str(number(2, 480)), "year": str(number(1780, 2026)), "age": str(number(17, 93)),
        "money": one("£$€₦₹₱") + str(number(2, 900)) + one(["", ",000", " million", "m", "bn"]),
        "time": clock + one(["", " p.m.", "pm", " a.m."]), "month": month, "day": day,
        "date": one([f"{number(1, 28)} {month}", f"{month} {number(1, 28)}", day]),
        "score": f"{number(0, 5)}-{number(0, 5)}", "feast": one(WORDS["feasts"]),
        "min": str(number(1, 93)) + one(["'", "", " min", "."]),
        "noun": one(WORDS["nouns"]).lower(), "Noun": one(WORDS["nouns"]),
    }[slot]  # fmt: skip


def texts(count: int, pools: Pools, random: Random) -> Iterator[Labelled]:
    """So many texts, the manners in turn; some borrow a few lines from others."""
    manners = (HERE / "manners.txt").read_text(encoding="utf-8").split("\n== ")[1:]
    lines = [manner.splitlines()[1:] for manner in manners]
    plain = [[line for line in own if line.strip() and line[0] != "#"] for own in lines]
    everything = [line for own in plain for line in own]
    for number in range(count):
        own = plain[number % len(plain)]
        heads = [line[1:].strip() for line in lines[number % len(lines)] if line[:1] == "#"]
        chosen = random.sample(own, min(len(own), random.randint(6, 16)))
        if random.random() < 0.3:
            chosen += random.sample(everything, random.randint(1, 4))
            random.shuffle(chosen)
        if heads and random.random() < 0.8:
            chosen.insert(0, random.choice(heads))
        yield _text(Cast(Names(pools, random)), chosen, random)


def _text(cast: Cast, lines: list[str], random: Random) -> Labelled:
    text, spans = "", []
    for line in lines:
        for part, kind in cast.parts(line):
            if kind is not None:
                spans.append((len(text), len(text) + len(part), kind))
            text += part
        text += "\n\n" if line.isupper() else random.choice(["\n\n", "\n\n", " "])
    tokens = tokens_of(text)
    names = [(*words_of(tokens, start, end), kind) for start, end, kind in spans]
    return labelled(tokens.words, tokens.spacing, apart(names))
