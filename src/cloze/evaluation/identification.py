"""Can a language model tell who is behind a marker?

Each article is shown with its markers, and the model is asked to name them. If it can name one, it
may know things that the article does not say: the share that it names bounds how much of its
accuracy could be memory.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from cloze.document import Document, Entity, Point, Question
from cloze.evaluation.bootstrap import Interval, interval
from cloze.language_models.forms import Form, Item, items, marker_labels
from cloze.language_models.replies import Replies, Reply
from cloze.language_models.request import Request, Settings, request_of
from cloze.text import MARKER, PLACEHOLDER, Text

WARN_ABOVE = 0.10
TOKENS_A_MARKER = 16  # that a line of the reply may take
_LINE = re.compile(re.escape(MARKER) + r"0*(\d{1,9})\b\W*(?:is|=)?\W*(.*)", re.I)


@dataclass(frozen=True)
class Identification:
    documents: int
    markers: int
    unanswered: int  # documents without a usable reply
    share: Interval  # of the markers that were named correctly
    named: list[tuple[str, str]]  # some of them: the name, and what the model said

    @property
    def too_many(self) -> bool:
        return self.share.share > WARN_ABOVE


def audit_requests(points: Iterable[Point], settings: Settings, seed: int = 0) -> Iterator[Request]:
    """One for each document that has markers."""
    for document, _ in points:
        if document.candidates():
            item = _shown(document, seed)
            room = TOKENS_A_MARKER * len(item.candidates) + 32
            yield request_of(
                settings.prompt.fill(item), "audit", document.id, settings.with_room(room)
            )


def identification(
    points: Iterable[Point], settings: Settings, replies: Replies, seed: int = 0
) -> Identification:
    """What the kept replies say about the markers of these documents."""
    right: list[bool] = []
    owners: list[str] = []
    named: list[tuple[str, str]] = []
    unanswered = documents = 0
    for document, _ in points:
        for request in audit_requests([(document, [])], settings, seed):
            reply = replies.get(request.key) or Reply(failure="not asked")
            guesses = guesses_in(reply.text, document, seed)
            documents += 1
            unanswered += not guesses
            for entity in _entities(document):
                said = guesses.get(entity.marker, "")
                right.append(is_name_of(said, entity))
                owners.append(document.id)
                named += [(entity.name, said)] if right[-1] else []
    share = interval(np.array(right), np.array(owners)) if right else Interval(0.0, 0.0, 1.0)
    return Identification(documents, len(right), unanswered, share, named[:20])


def guesses_in(text: str, document: Document, seed: int = 0) -> dict[int, str]:
    """For each marker of the corpus the name that a reply gives it."""
    labels = marker_labels(document, seed)
    numbers = {int(label.removeprefix(MARKER)): marker for marker, label in labels.items()}
    found: dict[int, str] = {}
    for line in text.splitlines():
        match = _LINE.search(line)
        if match and int(match[1]) in numbers:
            found.setdefault(numbers[int(match[1])], match[2].strip(" \t*_`\"'“”.;,"))
    return found


def is_name_of(said: str, entity: Entity) -> bool:
    """Whether it is one of the ways in which the article writes the name, whatever the case."""
    bare = _bare(said)
    return bool(bare) and bare in {_bare(form) for form in (entity.name, *entity.surfaces)}


def _bare(name: str) -> str:
    words = re.findall(r"\w+", name.casefold())
    return " ".join(words[1:] if words[:1] == ["the"] else words)


def _entities(document: Document) -> list[Entity]:
    """Those that are in the article and have a name."""
    known = set(document.candidates())
    return [e for e in document.entities if e.marker in known and not e.name.startswith(MARKER)]


def _shown(document: Document, seed: int) -> Item:
    """The document in the form of markers, with a question that nobody asks."""
    nothing = Question(document.id, document.id, Text([PLACEHOLDER], [""], [0]), -1)
    return items((document, [nothing]), Form.MARKERS, seed)[0]
