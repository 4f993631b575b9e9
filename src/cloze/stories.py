"""What every source yields: an article with its bullet-point summary."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Story:
    """One article as it was published: cased, untokenised, paragraphs apart by blank lines."""

    id: str
    article: str
    highlights: tuple[str, ...]
    url: str | None = None
    date: str | None = None  # ISO: 2015-03-23, or just 2015-03
