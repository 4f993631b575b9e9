"""A document with its entities, and the cloze questions asked about it."""

from dataclasses import dataclass
from html import escape

from cloze.text import MARKER, Text


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
        return list(self.context.mentions())

    def _repr_html_(self) -> str:
        """In a notebook: the article, and who its markers are."""
        names = ", ".join(f"{MARKER}{e.marker} {escape(e.name)}" for e in self.entities)
        text = f'<div style="max-width: 46em">{self.context.as_html()}</div>'
        return f'{text}<p style="max-width: 46em; opacity: 0.7">{names}</p>'


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    document_id: str
    query: Text  # one token is the placeholder; its surface is the answer's own words
    answer: int  # the marker


Point = tuple[Document, list[Question]]  # a document and the questions about it
