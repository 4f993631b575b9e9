"""Ask a server every question that has no reply yet, many at once, and keep every reply.

Too many requests and time-outs slow everybody down. Server errors are tried again after a pause
that doubles, with chance in it so that not all come back together. When many questions in a row
end without a reply, the run stops and says why: what was kept stays kept.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from cloze.errors import UserError
from cloze.language_models.address import Address, Key
from cloze.language_models.budget import Budget, Price
from cloze.language_models.pace import Pace
from cloze.language_models.replies import Replies, Reply
from cloze.language_models.request import Request
from cloze.language_models.server import Server, Trouble
from cloze.progress import bar
from cloze.randomness import key_of

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

IN_A_ROW = 20  # failures, after which there is little hope for the next question
LONGEST_PAUSE = 30.0
BUSIER = 8  # times as often as after an error, a busy server is asked again
WAIT_FOR_OTHERS = 0.05  # seconds, where only they tell what is left of the budget


@dataclass(frozen=True)
class Manner:
    """How to ask; none of it changes what a question is, or under what its reply is kept."""

    at_once: int = 32  # requests, at most
    seconds: float = 120.0  # for one reply
    tries: int = 5
    pause: float = 0.5  # seconds before the second try; then twice as long each time
    retry: bool = False  # also ask what failed in an earlier run
    budget: float | None = None  # tokens or, where there is a price, money
    price: Price | None = None


@dataclass
class Asked:
    """What came of it."""

    kept: int = 0  # had a reply already
    replies: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    left: bool = False  # the budget was spent before the end
    tokens_read: int = 0
    tokens_written: int = 0

    @property
    def done(self) -> int:
        return self.kept + self.replies + sum(self.failures.values())


def ask(
    requests: Iterable[Request],
    replies: Replies,
    address: Address,
    key: Key,
    manner: Manner = Manner(),
    *,
    what: str = "asking",
    total: int | None = None,
) -> Asked:
    """Every request ends with a reply or a reason in `replies`, unless the budget ends first."""
    with bar() as shown:
        line = shown.add_task(what, total=total, unit="questions", note="")
        asker = _Asker(requests, replies, manner, shown, line)
        asyncio.run(asker.run(address, key))
        replies.flush()
    return asker.asked


class _Asker:
    def __init__(
        self,
        requests: Iterable[Request],
        replies: Replies,
        manner: Manner,
        shown: "Progress",
        line: "TaskID",
    ) -> None:
        self.asked = Asked()
        self._replies, self._manner = replies, manner
        self._shown, self._line = shown, line
        self._under_way: set[str] = set()
        self._todo = self._unanswered(requests)
        self._in_a_row = 0
        self._stop: UserError | None = None

    async def run(self, address: Address, key: Key) -> None:
        first = next(self._todo, None)
        if first is None:
            return  # a run that is finished sends nothing, nor needs a server
        manner = self._manner
        spent = self._replies.tokens(first.address, first.model)
        self._budget = Budget(manner.budget, manner.price, spent)
        self._pace = Pace(manner.at_once)
        async with Server(
            address, key, seconds=manner.seconds, connections=manner.at_once
        ) as self._server:
            with _alone(self._replies, first):
                waiting = [self._settle(first), *(self._work() for _ in range(manner.at_once))]
                await asyncio.gather(*waiting)
        if self._stop is not None:
            raise self._stop

    def _unanswered(self, requests: Iterable[Request]) -> Iterator[Request]:
        for request in requests:
            known = self._replies.get(request.key)
            if request.key in self._under_way:
                self.asked.kept += 1  # two questions of the very same words: one request
            elif known is None or (known.failure is not None and self._manner.retry):
                self._under_way.add(request.key)
                yield request
            else:
                self.asked.kept += 1
                self._advance()

    async def _work(self) -> None:
        while self._stop is None and not self.asked.left:
            request = next(self._todo, None)
            if request is None:
                return
            await self._settle(request)

    async def _settle(self, request: Request) -> None:
        reply = await self._reply(request)
        self._under_way.discard(request.key)
        if reply is not None:
            self._replies.keep(request, reply)
            self._count(reply)

    async def _reply(self, request: Request) -> Reply | None:
        """Ask until there is a reply or no hope of one; None if it was not asked at all."""
        tries = busy = 0
        while (found := await self._turn(request)) is not None:
            if isinstance(found, Reply):
                return replace(found, tries=tries + busy + 1)
            tries, busy = tries + (not found.too_many), busy + found.too_many
            hope = tries < self._manner.tries and busy < BUSIER * self._manner.tries
            if found.fatal or (found.away and not hope):
                fix = _AWAY if found.away else _CHECK
                self._stop = UserError(found.what, where=request.address, fix=fix)
                return None
            if not (found.again and hope):
                return Reply(failure=found.what, tries=tries + busy)
            await self._pause(found, tries + busy)
        return None

    async def _turn(self, request: Request) -> Reply | Trouble | None:
        """Ask once, when it is our turn and the budget allows; None if it is all over."""
        while True:
            async with self._pace as sent:
                if self._stop is not None or self.asked.left:
                    return None
                if self._budget.reserve(request):
                    return await self._ask(request, sent)
                self.asked.left = self._budget.over
            await asyncio.sleep(WAIT_FOR_OTHERS)

    async def _ask(self, request: Request, sent: float) -> Reply | Trouble:
        found = await self._server.ask(request)
        self._budget.release(request, found if isinstance(found, Reply) else None)
        if isinstance(found, Reply):
            self._pace.went_well(time.monotonic() - sent)
        elif found.busy:
            self._pace.went_badly(sent)
            if found.wait is not None:
                self._pace.hold(found.wait)
        return found

    async def _pause(self, trouble: Trouble, tries: int) -> None:
        """As long as the server asked for; otherwise twice as long each time, more or less."""
        longest = min(self._manner.pause * 2 ** min(tries - 1, 10), LONGEST_PAUSE)
        await asyncio.sleep(max(trouble.wait or 0.0, longest * random.uniform(0.5, 1.0)))

    def _count(self, reply: Reply) -> None:
        asked = self.asked
        asked.tokens_read += reply.tokens_read
        asked.tokens_written += reply.tokens_written
        if reply.failure is None:
            asked.replies += 1
            self._in_a_row = 0
        else:
            asked.failures[reply.failure] += 1
            self._in_a_row += 1
            if self._in_a_row >= IN_A_ROW and self._stop is None:
                self._stop = UserError(
                    f"the last {IN_A_ROW} questions got no reply ({reply.failure})",
                    fix="see to the server, then run again with --retry; all replies are kept",
                )
        self._advance()

    def _advance(self) -> None:
        read, written = self.asked.tokens_read, self.asked.tokens_written
        note = f"{read + written:,} tokens, {sum(self.asked.failures.values()):,} failed"
        self._shown.update(self._line, completed=self.asked.done, note=note)


_AWAY = "start the server, then run again: all replies so far are kept"
_CHECK = "check the address, the model and the key (--key-from names its environment variable)"


@contextmanager
def _alone(replies: Replies, request: Request) -> Iterator[None]:
    """One process at a time asks a model on behalf of a file: two would ask everything twice."""
    own = key_of(f"{request.address} {request.model}")
    lock = FileLock(replies.path.with_name(f".{replies.path.name}.{own:x}.lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            "another run is asking this model", where=replies.path, fix="wait for it"
        ) from None
    try:
        yield
    finally:
        lock.release()
