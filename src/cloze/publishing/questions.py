"""What a published test holds: a record for each question, in each of its forms.

{"id": …, "document": …, "date": "2026-11-02", "url": …, "article": …, "question": …,
 "candidates": ["@entity07", …], "answer": "@entity03", "answer_index": 4, "canary": …}
"""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.language_models.forms import Form, Item, items
from cloze.language_models.prompts import Prompt
from cloze.language_models.request import Interface
from cloze.randomness import key_of

SHOTS = 5  # documents held out as examples, where the corpus has no other split to take them from
EXAMPLES = 32  # documents at most


@dataclass(frozen=True)
class Selection:
    """What is published: the documents of a split, without those that serve as examples."""

    corpus: Corpus
    split: str
    after: str | None = None  # only articles of a later date

    def test(self) -> Iterator[Point]:
        held = self._held_out()
        return (point for point in self._recent() if point[0].id not in held)

    def examples(self) -> Iterator[Point]:
        """Questions to show as examples, never one of the test."""
        if self._other is None:
            held = self._held_out()
            return (point for point in self._recent() if point[0].id in held)
        return self._first(self.corpus.read(self._other))

    @property
    def canary(self) -> str:
        """One string in every file, by which a training corpus can be searched for this test."""
        own = uuid.uuid5(uuid.NAMESPACE_OID, f"{self.corpus.fingerprint} {self.split}")
        return f"cloze-reader canary {own}; this test must not be trained on"

    @property
    def _other(self) -> str | None:
        others = (s for s in ("valid", "train", "test") if s in self.corpus.splits)
        return next((name for name in others if name != self.split), None)

    def _recent(self) -> Iterator[Point]:
        for point in self.corpus.read(self.split):
            if self.after is None or (point[0].date or "")[:10] > self.after:
                yield point

    def _held_out(self) -> set[str]:
        if self._other is not None:
            return set()
        known = [document.id for document, _ in self._recent()]
        return set(sorted(known, key=key_of)[: min(SHOTS, len(known) // 4)])

    def _first(self, points: Iterable[Point]) -> Iterator[Point]:
        for number, point in enumerate(points):
            if number == EXAMPLES:
                return
            yield point


def records(
    points: Iterable[Point],
    form: Form,
    prompts: Mapping[Interface, Prompt],
    canary: str,
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    for point in points:
        document = point[0]
        head = {"document": document.id, "date": document.date, "url": document.url}
        for item in items(point, form, seed):
            filled = {str(name): prompt_parts(prompt, item) for name, prompt in prompts.items()}
            yield {"id": item.question_id, **head, **_asked(item), **filled, "canary": canary}


def prompt_parts(prompt: Prompt, item: Item) -> list[str]:
    """What joined by the article is the prompt: one part where the template does not show it."""
    whole = prompt.fill(item)
    return whole.split(item.article) if item.article else [whole]


def _asked(item: Item) -> dict[str, Any]:
    labels = [candidate.label for candidate in item.candidates]
    places = [c.marker for c in item.candidates]
    if item.answer not in places:
        raise UserError(
            "the right answer is not among the candidates", where=f"question {item.question_id}"
        )
    place = places.index(item.answer)
    return {
        "article": item.article,
        "question": item.question,
        "candidates": labels,
        "answer": labels[place],
        "answer_index": place,
    }


def check_after(after: str | None) -> None:
    """A day, as in 2026-11-01; a month or a year counts from its first day."""
    if after is not None and not re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", after):
        raise UserError(f"--after {after} is not a date", fix="write it as in 2026-11-01")
