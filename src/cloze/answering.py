"""What everything that answers has in common: documents with questions in, rankings out.

    answerer = find("word-distance")                       # cloze.finding; or a reader's folder
    for rankings in answerer.answer(corpus.read("valid")):
        print([ranking.answer for ranking in rankings])    # one ranking for each question

Evaluation, reports and pages know only this interface. Whatever implements it can be evaluated,
reported and served: a baseline, a neural reader, or a class of your own.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from cloze.card_results import CardResult
from cloze.confidence import Confidence
from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.naming import blinded
from cloze.text import Text

VALIDATIONS = "validations"  # in the settings of training: [[questions read, accuracy], ...]
LANGUAGE_MODEL = "language model"  # the kind of answerer that counts what each answer costs


@dataclass(frozen=True, slots=True)
class Cost:
    """What one answer took, where somebody counts it."""

    seconds: float
    tokens_read: int
    tokens_written: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one question, best first, each with its score.

    A neural reader's scores are probabilities over the candidates; a baseline's are whatever it
    counts, higher being better. `attention` is what an attentive reader looked at:
    [document tokens], or [query tokens, document tokens] where it looked again after each word of
    the question. `outside` says that some word, or a marker from elsewhere, seemed likelier than
    every candidate, so the answer was that word and therefore wrong.
    """

    candidates: np.ndarray  # int32 markers of the document
    scores: np.ndarray  # float32
    attention: np.ndarray | None = None
    outside: bool = False
    why: str = ""  # where there is something to say: the rule that answered
    windows: int = 1  # that overlap, in which a document was read that is too long to read at once
    record: Confidence | None = None  # what its probabilities were worth, where it was measured
    cost: Cost | None = None

    @property
    def answer(self) -> int:
        """The best marker, or -1 where there is no candidate."""
        return int(self.candidates[0]) if len(self.candidates) else -1

    @property
    def probabilities(self) -> np.ndarray | None:
        """The scores where they can be probabilities: none below 0, together at most 1."""
        fits = (self.scores >= 0).all() and self.scores.sum() <= 1.001
        return np.minimum(self.scores, 1) if fits else None

    @property
    def meaning(self) -> str | None:
        """What the probability of the answer means, in a line for people; where it is known."""
        if self.record is None or not len(self.scores):
            return None
        return self.record.meaning(float(self.scores[0]))

    @property
    def sure(self) -> bool | None:
        """Whether answers as sure as this one were mostly right; none where it is not known."""
        if self.record is None or not len(self.scores):
            return None
        return self.record.is_sure(float(self.scores[0]))


def ranked(candidates: Sequence[int], scores: Sequence[float], why: str = "") -> Ranking:
    """Sort candidates by score; ties keep the order given (usually that of first mention)."""
    marks = np.asarray(candidates, dtype=np.int32)
    points = np.asarray(scores, dtype=np.float32)
    order = np.argsort(-points, kind="stable")
    return Ranking(marks[order], points[order], why=why)


class Answerer(Protocol):
    """Anything that answers questions about documents."""

    @property
    def name(self) -> str:
        """As tables show it."""

    @property
    def kind(self) -> str:
        """ "baseline", "reader", "language model", or a word of your own; tables put baselines
        first."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What distinguishes it from others of the same name; goes into predictions files as JSON.

        An interrupted run continues only with the same settings. If `parameters` is among them, it
        is shown on the page.
        """

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        """For each document, in order, a ranking for each of its questions.

        Candidates are the document's own markers, whatever names the answerer drew for itself
        from `seed` (`cloze.naming`). Attention may be left out unless it is asked for.
        """


def answers(
    answerer: Answerer, points: Iterable[Point], *, seed: int = 0, attention: bool = False
) -> Iterator[tuple[Document, list[Question], list[Ranking]]]:
    """Each point with its rankings, once it is checked that they answer exactly its questions."""
    asked, given = itertools.tee(points)
    said = answerer.answer(given, seed=seed, attention=attention)
    nothing: list[Ranking] = []
    for document, questions in asked:
        rankings = next(said, nothing)
        if len(rankings) != len(questions):
            raise UserError(
                f"{answerer.name} gave {len(rankings)} answers to {len(questions)} questions",
                where=f"document {document.id}",
            )
        for ranking in rankings:
            if ranking.attention is not None and ranking.attention.shape[-1] != len(
                document.context
            ):
                raise UserError(
                    f"{answerer.name} gave attention over {ranking.attention.shape[-1]} tokens of "
                    f"{len(document.context)}",
                    where=f"document {document.id}",
                )
        yield document, questions, rankings


class CardFacts(NamedTuple):
    """What the card of a trained answerer says."""

    trained_on: str | None  # the corpus
    results: list[CardResult]


@runtime_checkable
class TellsMore(Protocol):
    """What an answerer may be able to tell beyond its answers, as readers are."""

    def card_facts(self) -> CardFacts: ...

    def unknown_words(self, text: Text) -> list[int]:
        """The places of the words that it does not know and reads as one and the same."""

    def film(self, document: Document, question: Question, ranking: Ranking) -> np.ndarray | None:
        """The probabilities of the ranking's candidates after each token of the question, as if it
        had stopped reading there. [tokens, candidates]; None if it reads the document once."""


class QuestionAlone:
    """A control: another answerer that sees the questions and the candidates, but no text."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer
        self.name = f"{answerer.name}, question only"
        self.kind = answerer.kind
        self.settings = {**answerer.settings, "question_only": True}

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        hidden = ((blinded(document, seed), questions) for document, questions in points)
        return self._answerer.answer(hidden, seed=seed)
