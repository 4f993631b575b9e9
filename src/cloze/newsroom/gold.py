"""The truth about a story: where its names are and which of them mean the same entity.

It is kept apart from the story, so that anything that finds and joins names can be scored by it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """The characters [start, end) of a text, without article, courtesy title or possessive 's."""

    start: int
    end: int
    label: str  # as spaCy names them: PERSON, NORP, FAC, ORG, GPE, LOC, PRODUCT, EVENT, WORK_OF_ART
    cluster: int  # numbered by first mention, the article before the highlights


@dataclass(frozen=True, slots=True)
class Gold:
    id: str  # of the story
    article: tuple[Mention, ...]
    highlights: tuple[tuple[Mention, ...], ...]
    names: tuple[str, ...]  # the full name of each cluster
