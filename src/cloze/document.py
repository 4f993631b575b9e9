"""A document with its entities, and the cloze questions asked about it.

The tokens are what a reader sees: lower-cased words and markers. The surfaces are what a person
reads: the cased words and, for a marker, the whole name that it stands for.

    surfaces  "The" "BBC"      "producer" "allegedly" "struck" "by" "Jeremy Clarkson"
    tokens    "the" "@entity0" "producer" "allegedly" "struck" "by" "@entity1"
"""

from dataclasses import dataclass
from enum import IntEnum

PLACEHOLDER = "@placeholder"
MARKER = "@entity"  # followed by the entity's number


class Spacing(IntEnum):
    """What stands after a token in the original text."""

    NOTHING = 0
    SPACE = 1
    PARAGRAPH = 2


@dataclass(frozen=True, slots=True)
class Text:
    """Parallel lists over the tokens of an anonymised text."""

    tokens: list[str]
    surfaces: list[str]
    spacing: list[int]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def original(self) -> str:
        """The text as people read it, with the names and the spacing it came with."""
        after = ("", " ", "\n\n")
        pieces = (s + after[k] for s, k in zip(self.surfaces, self.spacing, strict=True))
        return "".join(pieces).rstrip()

    @property
    def anonymised(self) -> str:
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class Entity:
    """A cluster of mentions that share a marker."""

    marker: int
    name: str  # the fullest surface form
    type: str = ""
    surfaces: tuple[str, ...] = ()  # every distinct surface form, the name among them


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    context: Text
    entities: tuple[Entity, ...]
    url: str | None = None
    date: str | None = None

    def name_of(self, marker: int) -> str:
        return next((e.name for e in self.entities if e.marker == marker), f"{MARKER}{marker}")

    def candidates(self) -> list[int]:
        """The markers that stand in the context, in the order of their first mention."""
        return list(dict.fromkeys(m for t in self.context.tokens if (m := marker_of(t)) >= 0))


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    document_id: str
    query: Text  # one token is the placeholder; its surface is the answer's own words
    answer: int  # the marker


def marker_of(token: str) -> int:
    """The number of a marker, or -1 for a word.

    >>> marker_of("@entity12"), marker_of("producer"), marker_of("@entity")
    (12, -1, -1)
    """
    if not token.startswith(MARKER):
        return -1
    number = token[len(MARKER) :]
    return int(number) if number.isascii() and number.isdigit() else -1
