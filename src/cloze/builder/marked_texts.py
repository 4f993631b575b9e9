"""Texts whose names were marked by hand, with questions about each: one YAML file for each text.

    article: |
      Cllr [Clara Vennick]{vennick} took the chair. [Vennick]{vennick} welcomed the [Board]{board}.

`tests/fresh/README.md` describes the format.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from cloze.errors import UserError
from cloze.files import read_text
from cloze.shape import Shape

HALVES = ("look", "final")
Type = Literal[
    "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW",
    "LANGUAGE",
]  # fmt: skip
_MARK = re.compile(r"\[([^\[\]]+)\]\{([\w-]+)\}")


class Mark(NamedTuple):
    """The characters [start, end) of a text, and the key of the entity that they name."""

    start: int
    end: int
    key: str


class Marked(NamedTuple):
    """A text without its marks, and where they stood.

    >>> read_marks("Sgt [Oke]{oke} left.")
    Marked(text='Sgt Oke left.', marks=[Mark(start=4, end=7, key='oke')])
    """

    text: str
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    ask: Marked  # a statement in which X stands for one name
    answer: str  # its key
    sentence: str = ""  # the sentence of the article that answers a paraphrased question


@dataclass(frozen=True, slots=True)
class MarkedText:
    id: str
    manner: str  # what sort of text it is: "council minutes"
    half: str  # "look", or "final": not to be looked at while rules or readers change
    types: Mapping[str, str]  # for each entity, by its key
    article: Marked
    plain: list[MarkedQuestion]
    paraphrased: list[MarkedQuestion]


def read_texts(folder: Path, half: str | None = None) -> list[MarkedText]:
    """The texts of a folder in the order of their names, either all or one half."""
    if half not in (None, *HALVES):
        raise UserError(f"there is no half '{half}'", fix=f"choose from {', '.join(HALVES)}")
    texts = [_read(path) for path in sorted(folder.glob("*.yaml"))]
    found = [text for text in texts if half in (None, text.half)]
    if not found:
        raise UserError("holds no texts with marked names", where=folder)
    return found


def read_marks(text: str) -> Marked:
    bare, marks, done = "", [], 0
    for found in _MARK.finditer(text):
        bare += text[done : found.start()]
        marks.append(Mark(len(bare), len(bare) + len(found[1]), found[2]))
        bare += found[1]
        done = found.end()
    return Marked(bare + text[done:], marks)


class _Question(Shape):
    ask: str
    answer: str
    sentence: str = ""


class _Record(Shape):
    manner: str
    half: Literal["look", "final"]
    entities: dict[str, Type]
    article: str
    plain: list[_Question]
    paraphrased: list[_Question]


def _read(path: Path) -> MarkedText:
    try:
        record: Any = yaml.safe_load(read_text(path))
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise UserError(f"is not a text with marked names ({problem})", where=path) from None
    _Record.check(record, where=path, fix="tests/fresh/README.md describes the format")
    asked = (q["ask"] for q in (*record["plain"], *record["paraphrased"]))
    try:
        " ".join((record["article"], *asked)).encode()
    except UnicodeEncodeError:
        raise UserError("holds half of a character", where=path) from None
    plain, paraphrased = (
        [MarkedQuestion(read_marks(q["ask"]), q["answer"], q.get("sentence", "")) for q in each]
        for each in (record["plain"], record["paraphrased"])
    )
    text = MarkedText(
        path.stem,
        record["manner"],
        record["half"],
        record["entities"],
        read_marks(record["article"]),
        plain,
        paraphrased,
    )
    questions = [*text.plain, *text.paraphrased]
    places = (text.article, *(q.ask for q in questions))
    used = {mark.key for each in places for mark in each.marks}
    if unknown := (used | {q.answer for q in questions}) - text.types.keys():
        raise UserError(f"does not declare {', '.join(sorted(unknown))}", where=path)
    return text
