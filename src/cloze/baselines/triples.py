"""Who did what to whom: PropBank frames of a text whose fillers are its entities.

The parser sees the text as people read it; the entity clusters are then laid over it. Each frame
becomes a `Fact`, which says what fills each argument, including modifiers such as ARGM-LOC:

    "Kim loves Suse"   ->   Fact("love.01", {"ARG0": {kim}, "ARG1": {suse}})

A filler is an entity's marker, or the lemma of a common noun ("president", "candy"). The fillers of
a phrase are its head word, the words joined to it by "and", and those in apposition.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from cloze.propbank.frame import Argument, Frame
from cloze.text import A_WORD, AFTER, THE_GAP, Spacing, Text

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

STAND_IN = "Kim Alston"  # what the parser reads in the gap; it must look like a name
Filler = int | str  # a marker, THE_GAP, or a noun's lemma


class Fact(NamedTuple):
    roleset: str
    fillers: dict[str, set[Filler]]  # label -> who or what


class Passage(NamedTuple):
    """A paragraph as people read it, and where its entities are."""

    text: str
    mentions: list[tuple[int, int, int]]  # start and end in the text, marker


def passages(text: Text) -> list[Passage]:
    """The paragraphs of a text; a gap is filled with a name that belongs to no entity."""
    found: list[Passage] = []
    pieces: list[str] = []
    mentions: list[tuple[int, int, int]] = []
    at = 0
    for word, marker, after in text.words():
        surface = STAND_IN if marker == THE_GAP else word
        if marker != A_WORD:
            mentions.append((at, at + len(surface), marker))
        ends = after == AFTER[Spacing.PARAGRAPH]
        pieces.append(surface if ends else surface + after)
        at += len(pieces[-1])
        if ends:
            found.append(Passage("".join(pieces), mentions))
            pieces, mentions, at = [], [], 0
    if pieces:
        found.append(Passage("".join(pieces), mentions))
    return found


def facts(doc: "Doc", passage: Passage, frames: Iterable[Frame]) -> list[Fact]:
    """The frames of a parsed passage, filled with its entities and nouns."""
    entity = _laid_over(doc, passage)
    found = []
    for frame in frames:
        fillers: dict[str, set[Filler]] = {}
        for argument in frame.arguments:
            if argument.label.startswith("ARG"):  # not R- or C-, which repeat another
                who = _fillers(doc, argument, entity)
                if who:
                    fillers.setdefault(argument.label, set()).update(who)
        if fillers:
            found.append(Fact(frame.roleset, fillers))
    return found


def _laid_over(doc: "Doc", passage: Passage) -> dict[int, int]:
    """The marker of each token that is part of a mention."""
    over: dict[int, int] = {}
    for start, end, marker in passage.mentions:
        span = doc.char_span(start, end, alignment_mode="expand")
        if span is not None:
            over.update(dict.fromkeys(range(span.start, span.end), marker))
    return over


def _fillers(doc: "Doc", argument: Argument, entity: dict[int, int]) -> set[Filler]:
    heads = [_head(doc, argument)]
    found: set[Filler] = set()
    while heads:
        head = heads.pop()
        if head.dep_ in ("prep", "agent", "dative") and head.tag_ in ("IN", "TO"):
            heads.extend(child for child in head.children if child.dep_ in ("pobj", "pcomp"))
            continue
        if head.i in entity:
            found.add(entity[head.i])
        elif head.tag_.startswith("N"):
            found.add(head.lemma_.lower())
        for child in head.children:
            if child.dep_ in ("conj", "appos") and argument.start <= child.i < argument.end:
                heads.append(child)
    return found


def _head(doc: "Doc", argument: Argument) -> "Token":
    """The first word, punctuation aside, whose governor is outside the span."""
    span = doc[argument.start : argument.end]
    inside = range(argument.start, argument.end)
    tops = [t for t in span if t.head.i not in inside or t.head.i == t.i]
    return next((t for t in tops if not t.is_punct), tops[0])
