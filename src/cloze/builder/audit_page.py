"""The audit as a page: each document with its clusters in colour, and what to look at."""

from collections.abc import Iterable

from cloze.builder.audit import Looked
from cloze.document import Entity
from cloze.templating import render
from cloze.text import THE_GAP


def page(name: str, split: str, looked: Iterable[Looked]) -> str:
    """One self-contained HTML page."""
    documents = list(looked)
    return render(
        "builder",
        "audit.html",
        name=name,
        split=split,
        documents=documents,
        entities=sum(len(each.document.entities) for each in documents),
        doubts=sum(len(each.doubts) for each in documents),
        doubtful=sum(bool(each.doubts) for each in documents),
        by_frequency=_by_frequency,
        hue=_hue,
        THE_GAP=THE_GAP,
    )


def _by_frequency(looked: Looked) -> list[Entity]:
    return sorted(looked.document.entities, key=lambda entity: -looked.counts[entity.marker])


def _hue(marker: int) -> int:
    return marker * 137 % 360  # the golden angle keeps neighbours apart
