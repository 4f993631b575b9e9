"""A request's way through: tag, anonymise, read with each model, names back.

Two kinds of thread do the work, each taking together all that waits: one tags and anonymises, and
one for each model reads.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

from cloze.answering import Ranking
from cloze.ask.article import Gapped, Prepared, Refusal, check_article, find_gap, fitted, prepare
from cloze.ask.batching import Batcher
from cloze.ask.messages import ReadRequest, ReadResponse
from cloze.ask.reply import reply
from cloze.ask.tagging import Tagged, Tagger
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.readers.reader import Reader

Point = tuple[Document, Question]


class UnknownModel(UserError):
    """A request for a reader that is not loaded."""


class Service:
    """Loaded readers and a tagger, ready to be asked from many requests at once."""

    def __init__(self, readers: dict[str, Reader], tag: Tagger, *, batch: int) -> None:
        self.readers = readers
        self._remembering = Remembering(tag)
        self._preparing = Batcher(self._prepare_all, most=batch, name="prepare")
        self._reading = {
            name: Batcher(_together(reader), most=batch, name=f"read-{name}")
            for name, reader in readers.items()
        }

    async def warm_up(self) -> None:
        """Ask once: what is compiled or loaded on first use is so before anyone waits for it."""
        await self.read(ReadRequest(article="Mara Venn met Lund in Paris.", question="X met Lund"))

    def close(self) -> None:
        """Finish what runs and end the threads."""
        self._preparing.close()
        for reading in self._reading.values():
            reading.close()

    async def read(self, request: ReadRequest) -> ReadResponse:
        names = (
            list(self.readers) if request.models is None else list(dict.fromkeys(request.models))
        )
        for name in names:
            if name not in self.readers:
                known = ", ".join(self.readers)
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
        jobs = [_job(request) for request in requests]
        found = iter(
            self._remembering.tag([t for job in jobs if isinstance(job, _Job) for t in job.texts])
        )
        outcomes: list[Prepared | UserError] = []
        for job in jobs:
            if isinstance(job, UserError):
                outcomes.append(job)
                continue
            tagged = [next(found) for _ in job.texts]
            try:
                outcomes.append(prepare(job.article, job.highlights, job.question, tagged))
            except UserError as refusal:
                outcomes.append(refusal)
        return outcomes


def _together(reader: Reader) -> Callable[[Sequence[Point]], list[Ranking]]:
    """The work of a model's thread: all that waits in one forward pass."""

    def read(points: Sequence[Point]) -> list[Ranking]:
        pool = reader.vocabulary.pool
        asked = [(fitted(document, question, pool), [question]) for document, question in points]
        rankings = reader.answer_all(asked, batch_size=len(asked), attention=True)
        return [ranking for _, _, ranking in rankings]

    return read


class _Job:
    """The texts of a request that passed the first look."""

    def __init__(self, request: ReadRequest) -> None:
        check_article(request.article)
        self.article = request.article
        self.highlights = [line for line in request.highlights if line.strip()]
        self.question: Gapped | None = None
        self.texts = [self.article, *self.highlights]
        if request.question is not None:
            self.question = find_gap(request.question)
            self.texts.append(self.question.for_tagger)


def _job(request: ReadRequest) -> _Job | Refusal:
    try:
        return _Job(request)
    except Refusal as refusal:
        return refusal


class Remembering:
    """A tagger that remembers the last texts, for whoever asks again about the same article.

    It keeps a text's hash and where its names stand, not the text.
    """

    def __init__(self, tag: Tagger, most: int = 256) -> None:
        self._tag = tag
        self._most = most
        self._known: OrderedDict[bytes, Tagged] = OrderedDict()

    def tag(self, texts: Sequence[str]) -> list[Tagged]:
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        found = dict(zip(new, self._tag(list(new.values())), strict=True)) if new else {}
        results = []
        for key in keys:
            tagged = found[key] if key in found else self._known[key]
            self._known[key] = tagged
            self._known.move_to_end(key)
            results.append(tagged)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return results
