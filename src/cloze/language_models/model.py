"""A language model as an answerer: `cloze.answering.Answerer` over a file of replies.

    model = LanguageModel(settings, Form.MARKERS, Replies(path), address, key)
    model.collect(points)              asks whatever has no reply yet
    for rankings in model.answer(points): ...

Answering is a pure function of the kept replies: it asks only if there is none.
"""

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from cloze.answering import LANGUAGE_MODEL, Cost, Ranking
from cloze.document import Point
from cloze.language_models.address import Address, Key
from cloze.language_models.asking import Asked, Manner, ask
from cloze.language_models.forms import Form, Item, items
from cloze.language_models.replies import Replies, Reply
from cloze.language_models.request import Request, Settings, request_for
from cloze.language_models.verdict import Outcome, verdict

DOCUMENTS_AT_ONCE = 64
CHOSEN = 2.0  # the score of a candidate that was named; above 1, since it is no probability
_FAILED = Reply(failure="not asked")


class LanguageModel:
    kind = LANGUAGE_MODEL

    def __init__(
        self,
        settings: Settings,
        form: Form,
        replies: Replies,
        address: Address,
        key: Key,
        manner: Manner = Manner(),
    ) -> None:
        self.form = form
        self._settings, self._replies, self._manner = settings, replies, manner
        self._address, self._key = address, key
        self.name = settings.model + (f", {form.wording}" if form.wording else "")
        self.outcomes: Counter[Outcome] = Counter()
        self._digest = ""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The prompt whole, and a hash of the replies: other replies are another evaluation."""
        own = self._settings
        return {
            "endpoint": own.address,
            "model": own.model,
            "interface": str(own.interface),
            "form": str(self.form),
            "prompt": own.prompt.text,
            "prompt_version": own.prompt.version,
            "max_tokens": own.max_tokens,
            "parameters": dict(own.parameters),
            "replies": self._digest,
        }

    def requests(self, points: Iterable[Point], seed: int = 0) -> Iterator[Request]:
        for point in points:
            for item in items(point, self.form, seed):
                yield request_for(item, self._settings)

    def known(
        self, points: Iterable[Point], *, seed: int = 0
    ) -> Iterator[tuple[Request, Reply | None]]:
        """Each request with what is kept of it."""
        for request in self.requests(points, seed):
            yield request, self._replies.get(request.key)

    def collect(self, points: Iterable[Point], *, seed: int = 0, total: int | None = None) -> Asked:
        """Ask all that has no reply yet; the questions are read as they are asked."""
        return ask(
            self.requests(points, seed),
            self._replies,
            self._address,
            self._key,
            self._manner,
            what=self.name,
            total=total,
        )

    def replied(self, points: Iterable[Point], *, seed: int = 0) -> list[str]:
        """The documents whose questions all have a reply or a failure, and the hash of those."""
        digest, found = hashlib.sha256(), []
        for document, questions in points:
            said = [reply for _, reply in self.known([(document, questions)], seed=seed)]
            if None not in said:
                found.append(document.id)
                digest.update(repr((document.id, said)).encode())
        self._digest = digest.hexdigest()[:12]
        return found

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        waiting = iter(points)
        while part := list(itertools.islice(waiting, DOCUMENTS_AT_ONCE)):
            if any(reply is None for _, reply in self.known(part, seed=seed)):
                self.collect(part, seed=seed)
            for point in part:
                yield [self._ranking(item) for item in items(point, self.form, seed)]

    def _ranking(self, item: Item) -> Ranking:
        """The candidate that was named, alone: a reply says nothing about the others."""
        reply = self._replies.get(request_for(item, self._settings).key) or _FAILED
        found = verdict(reply, item, letters=self._settings.prompt.offers_letters)
        self.outcomes[found.outcome] += 1
        chosen = [found.marker] if found.outcome is Outcome.ANSWERED else []
        cost = None
        if reply.failure is None:
            cost = Cost(reply.seconds, reply.tokens_read, reply.tokens_written)
        return Ranking(
            np.array(chosen, np.int32),
            np.full(len(chosen), CHOSEN, np.float32),
            outside=not chosen,
            why=found.why,
            cost=cost,
        )
