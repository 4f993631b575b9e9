"""How a request is handled: tag, anonymise, read with each model, put the names back.

One thread tags and anonymises, and one thread for each model reads; each handles all waiting
requests together.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cloze.answering import Answerer, Ranking, answers
from cloze.ask.article import Asked, Prepared, prepare_asked
from cloze.ask.batching import Batcher
from cloze.ask.gap import Refusal
from cloze.ask.messages import ModelCard, Problem, ReadRequest, ReadResponse
from cloze.ask.reply import reply
from cloze.ask.tagging import Remembering, Tagger
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.names.language import RULES

AskedAlone = tuple[Document, Question]


class UnknownModel(UserError):
    """A request for a model that is not loaded."""


class Outcome(NamedTuple):
    """What goes back to a client."""

    status: int
    json: str


class Service:
    """Answerers and a tagger, ready to be asked from many requests at once."""

    def __init__(
        self,
        answerers: dict[str, Answerer],
        tag: Tagger,
        *,
        batch: int,
        language: str = "en",
        rules: int = RULES,
    ) -> None:
        self.answerers = answerers
        self.cards = [_card(name, answerer) for name, answerer in answerers.items()]
        self._language, self._rules = language, rules
        self._remembering = Remembering(tag)
        self._preparing = Batcher(self._prepare_all, most=batch, name="prepare")
        self._reading = {
            name: Batcher(_together(answerer), most=batch, name=f"read-{name}")
            for name, answerer in answerers.items()
        }

    async def warm_up(self) -> None:
        """Ask once, so that anything compiled or loaded on first use is ready before requests."""
        await self.read(ReadRequest(article="Mara Venn met Lund in Paris.", question="X met Lund"))

    def close(self) -> None:
        """Finish the open requests and end the threads."""
        self._preparing.close()
        for reading in self._reading.values():
            reading.close()

    async def answer(self, request: ReadRequest) -> Outcome:
        """The response to a request, a refusal among others."""
        try:
            found = await self.read(request)
        except UserError as mistake:
            return _refusal(mistake)
        return Outcome(200, found.model_dump_json())

    async def read(self, request: ReadRequest) -> ReadResponse:
        names = (
            list(self.answerers) if request.models is None else list(dict.fromkeys(request.models))
        )
        for name in names:
            if name not in self.answerers:
                known = ", ".join(self.answerers)
                raise UnknownModel(f"there is no model '{name}'", fix=f"there is {known}")
        outcome = await self._preparing.submit(request)
        if isinstance(outcome, UserError):
            raise outcome
        rankings: list[Ranking | None] = []
        question = outcome.question
        if question is None:
            names = []
        elif not outcome.document.candidates():
            rankings = [None] * len(names)
        else:
            point = (outcome.document, question)
            rankings = [
                *await asyncio.gather(*(self._reading[name].submit(point) for name in names))
            ]
        return reply(outcome, names, rankings)

    def _prepare_all(self, requests: Sequence[ReadRequest]) -> list[Prepared | UserError]:
        asked = [_asked(request, self._language, self._rules) for request in requests]
        good = [each for each in asked if isinstance(each, Asked)]
        found = iter(self._remembering.tag([story for each in good for story in each.to_tag]))
        outcomes: list[Prepared | UserError] = []
        for each in asked:
            if isinstance(each, Asked):
                try:
                    outcomes.append(prepare_asked(each, [next(found) for _ in each.to_tag]))
                except UserError as refusal:
                    outcomes.append(refusal)
            else:
                outcomes.append(each)
        return outcomes


def _together(answerer: Answerer) -> Callable[[Sequence[AskedAlone]], list[Ranking]]:
    """The work of a model's thread: all waiting requests in one call."""

    def read(waiting: Sequence[AskedAlone]) -> list[Ranking]:
        points = [(document, [question]) for document, question in waiting]
        return [ranking for _, _, (ranking,) in answers(answerer, points, attention=True)]

    return read


def _asked(request: ReadRequest, language: str, rules: int) -> Asked | Refusal:
    try:
        return Asked.of(request.article, request.highlights, request.question, language, rules)
    except Refusal as refusal:
        return refusal


def _card(name: str, answerer: Answerer) -> ModelCard:
    return ModelCard(
        name=name,
        kind=answerer.kind,
        title=answerer.name,
        parameters=answerer.settings.get("parameters"),
    )


def _refusal(mistake: UserError) -> Outcome:
    status, error, field = 422, "refused", None
    if isinstance(mistake, Refusal):
        error, field = mistake.code, mistake.field
    elif isinstance(mistake, UnknownModel):
        status, error, field = 404, "unknown_model", "models"
    return Outcome(
        status, Problem(error=error, message=str(mistake), field=field).model_dump_json()
    )
