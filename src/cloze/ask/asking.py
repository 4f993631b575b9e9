"""Asking from Python: an answerer, an article and a question with a gap.

answer = Model(find("small")).ask(article, "The X ran aground")
answer.name, answer.probability
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cloze.answering import Answerer, Ranking, answers
from cloze.ask.article import Asked, prepare_asked
from cloze.ask.tagging import Remembering, tagger
from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.names.language import NEWEST_RULES
from cloze.reporting.notebook import answer_html, heatmap_widget
from cloze.stories import Story


class Candidate(NamedTuple):
    """A name of the article, and its score as the answer."""

    name: str
    score: float
    probability: float | None  # none if the scores are not probabilities, like a baseline's


@dataclass(frozen=True)
class Answer:
    """The answer to one question, in the article's own names."""

    document: Document
    question: Question
    marked: Ranking  # as the answerer gave it, with markers

    @cached_property
    def ranking(self) -> list[Candidate]:
        """Every candidate, best first."""
        chances = self.marked.probabilities
        return [
            Candidate(
                self.document.name_of(int(marker)),
                float(self.marked.scores[place]),
                None if chances is None else float(chances[place]),
            )
            for place, marker in enumerate(self.marked.candidates)
        ]

    @property
    def name(self) -> str:
        """The best candidate."""
        return self.ranking[0].name

    @property
    def probability(self) -> float | None:
        """The probability of the best candidate."""
        return self.ranking[0].probability

    @property
    def meaning(self) -> str | None:
        """What that probability means: "of answers this sure, 93 % were right on CNN valid". Only a
        reader that was calibrated (`cloze calibrate`) knows it."""
        return self.marked.meaning

    @property
    def sure(self) -> bool | None:
        """Whether answers as sure as this one were mostly right; none where it is not known."""
        return self.marked.sure

    @property
    def outside(self) -> bool:
        """Whether some other word seemed likelier than every name."""
        return self.marked.outside

    @property
    def windows(self) -> int:
        """In how many overlapping windows the article was read: more than one if it is longer than
        the reader reads at once."""
        return self.marked.windows

    @property
    def attention(self) -> np.ndarray | None:
        """What was looked at: [words], or [words of the question, words]."""
        return self.marked.attention

    @property
    def words(self) -> list[str]:
        """The article's words; `attention` has a weight for each."""
        return self.document.context.surfaces

    def heatmap(self, right: str | None = None) -> Any:
        """What was looked at, as a widget for a notebook; it needs the extra [notebook].

        right: the name that would be right, to be underlined.
        """
        names = {name: e.marker for e in self.document.entities for name in (e.name, *e.surfaces)}
        if right is not None and right not in names:
            raise UserError(f"the article does not name '{right}'")
        marker = None if right is None else names[right]
        return heatmap_widget(self.document, self.question.query, self.marked, marker)

    def _repr_html_(self) -> str:
        return answer_html(self.document, self.question.query, self.marked)

    def __str__(self) -> str:
        chance = "" if self.probability is None else f" ({self.probability:.0%})"
        return f"{self.name}{chance}"


class Model:
    """An answerer, with a pipeline to find the names in the articles it is asked about.

    It implements the `Answerer` protocol too, so that it can be evaluated.
    """

    def __init__(
        self,
        answerer: Answerer,
        *,
        pipeline: str | None = None,
        language: str = "en",
        rules: int = NEWEST_RULES,
    ) -> None:
        self.answerer = answerer
        self.pipeline, self.language, self.rules = pipeline, language, rules

    def ask(self, article: str | Story, question: str, highlights: Sequence[str] = ()) -> Answer:
        """Answer a question about an article; its gap is written X, ___ or @placeholder."""
        if isinstance(article, Story):
            highlights = highlights or article.highlights
            article = article.article
        asked = Asked.of(article, highlights, question, self.language, self.rules)
        prepared = prepare_asked(asked, self._tagger.tag(asked.to_tag))
        document, own = prepared.document, prepared.question
        assert own is not None
        if not document.candidates():
            raise UserError("no names were found in the article", fix="ask about another one")
        ((_, _, (ranking,)),) = answers(self.answerer, [(document, [own])], attention=True)
        return Answer(document, own, ranking)

    @cached_property
    def _tagger(self) -> Remembering:
        return Remembering(tagger(self.pipeline, self.language))

    @property
    def name(self) -> str:
        return self.answerer.name

    @property
    def kind(self) -> str:
        return self.answerer.kind

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.answerer.settings

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        return self.answerer.answer(points, seed=seed, attention=attention)

    def __repr__(self) -> str:
        return f"<{self.name}>"
