"""The interface that baselines and neural readers share: questions in, ranked candidates out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cloze.document import Document, Question


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one question, best first, each with its score.

    A neural reader's scores are probabilities over the candidates; a baseline's are whatever it
    counts, higher being better. `attention` is what an attentive reader looked at:
    [document tokens], or [query tokens, document tokens] for the Impatient Reader. `outside` says
    that some word, or a marker from elsewhere, seemed likelier than every candidate: the answer
    was that word, and wrong.
    """

    candidates: np.ndarray  # int32 markers
    scores: np.ndarray  # float32
    attention: np.ndarray | None = None
    outside: bool = False
    why: str = ""  # where there is something to say: the rule that answered

    @property
    def answer(self) -> int:
        """The best marker, or -1 where there is no candidate."""
        return int(self.candidates[0]) if len(self.candidates) else -1


def ranked(candidates: Sequence[int], scores: Sequence[float], why: str = "") -> Ranking:
    """Sort candidates by score; ties keep the order given (usually that of first mention)."""
    marks = np.asarray(candidates, dtype=np.int32)
    points = np.asarray(scores, dtype=np.float32)
    order = np.argsort(-points, kind="stable")
    return Ranking(marks[order], points[order], why=why)


class Baseline(Protocol):
    """Answers the questions of one document at a time."""

    name: str

    def answer(self, document: Document, questions: Sequence[Question]) -> list[Ranking]: ...
