"""How a request is handled: tag, anonymise, read with each model, put the names back.

One thread tags and anonymises, and one thread for each model reads; each handles all waiting
requests together.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cloze.answering import Answerer, CardFacts, TellsMore, answers
from cloze.ask import messages
from cloze.ask.article import Asked, Prepared, prepare_asked
from cloze.ask.batching import Batcher
from cloze.ask.gap import Refusal
from cloze.ask.messages import ModelCard, Problem, ReadRequest, ReadResponse
from cloze.ask.reply import Read, reply
from cloze.ask.tagging import Remembering, Tagger
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.names import corrections
from cloze.names.language import NEWEST_RULES
from cloze.paper import corpus_title

AskedAlone = tuple[Document, Question, bool]  # and whether its film is wanted


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
        rules: int = NEWEST_RULES,
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
        rankings: list[Read | None] = []
        unknown = self._unknown(outcome.document, names)
        question = outcome.question
        if question is None:
            names = []
        elif not outcome.document.candidates():
            rankings = [None] * len(names)
        else:
            point = (outcome.document, question, request.film)
            rankings = [
                *await asyncio.gather(*(self._reading[name].submit(point) for name in names))
            ]
        return reply(outcome, names, rankings, unknown)

    def _unknown(self, document: Document, names: Sequence[str]) -> dict[str, list[int]]:
        readers = {name: self.answerers[name] for name in names}
        return {
            name: reader.unknown_words(document.context)
            for name, reader in readers.items()
            if isinstance(reader, TellsMore)
        }

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


def _together(answerer: Answerer) -> Callable[[Sequence[AskedAlone]], list[Read]]:
    """The work of a model's thread: all waiting requests in one call."""

    def read(waiting: Sequence[AskedAlone]) -> list[Read]:
        points = [(document, [question]) for document, question, _ in waiting]
        said = [ranking for _, _, (ranking,) in answers(answerer, points, attention=True)]
        films = (
            answerer.film(document, question, ranking)
            if wanted and isinstance(answerer, TellsMore)
            else None
            for (document, question, wanted), ranking in zip(waiting, said, strict=True)
        )
        return list(map(Read, said, films))

    return read


def _asked(request: ReadRequest, language: str, rules: int) -> Asked | Refusal:
    try:
        texts = (request.article, request.highlights, request.question)
        return Asked.of(*texts, language, rules, [_correction(c) for c in request.corrections])
    except Refusal as refusal:
        return refusal


def _correction(given: messages.Correction) -> corrections.Correction:
    match given:
        case messages.JoinNames(join=(one, other)):
            return corrections.Join(one, other)
        case messages.CutName(cut=(first, second)):
            return corrections.Cut(first, second)
        case messages.NameApart(apart=form):
            return corrections.Apart(form)
        case messages.NotAName(no_name=form):
            return corrections.NoName(form)


def _card(name: str, answerer: Answerer) -> ModelCard:
    facts = answerer.card_facts() if isinstance(answerer, TellsMore) else CardFacts(None, [])
    return ModelCard(
        name=name,
        kind=answerer.kind,
        title=answerer.name,
        parameters=answerer.settings.get("parameters"),
        trained_on=None if facts.trained_on is None else corpus_title(facts.trained_on),
        results=[messages.Result(**result._asdict()) for result in facts.results],
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
