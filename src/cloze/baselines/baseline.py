"""What the baselines share: they rank one document at a time, under markers drawn for it."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cloze.answering import Ranking
from cloze.document import Document, Point, Question
from cloze.naming import renamed


class Baseline(ABC):
    """An `Answerer` that looks at one document at a time (`rank`)."""

    name: str
    kind = "baseline"
    options: tuple[str, ...] = ()  # attributes that affect how it answers

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name as given to `cloze evaluate`, and its options."""
        words = re.findall("[A-Z][a-z]*", type(self).__name__)
        return {"baseline": "-".join(words).lower()} | {o: getattr(self, o) for o in self.options}

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        for document, questions in points:
            (shown, asked), names = renamed(document, questions, seed)
            yield [
                replace(ranking, candidates=_old(ranking.candidates, names))
                for ranking in self.rank(shown, asked)
            ]

    @abstractmethod
    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        """A ranking for each question, of the document's markers as they stand."""


def _old(candidates: np.ndarray, names: Mapping[int, int]) -> np.ndarray:
    return np.array([names[marker] for marker in candidates.tolist()], np.int32)
