"""Ask for every address in a list, each host in its own time, and keep what comes.

Each host has a lane: its addresses are asked for in their order, one after another. Errors are
tried again after a pause that doubles. "Too many requests" is a pause for the whole host, and so is
a door that was open before and is closed now. A host that cannot be reached, or that goes on
refusing, is left for another run.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from cloze.errors import UserError
from cloze.fetching import captures, robots
from cloze.fetching.account import Account, Outcome, Row, Settled
from cloze.fetching.address import NoAddress, led_to, parsed
from cloze.fetching.client import MOST_BYTES, Client, Got, Trouble
from cloze.fetching.lane import Lane
from cloze.fetching.manner import Manner
from cloze.fetching.turns import Turn, Turns
from cloze.fetching.warcs import Warcs

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

MOST_HOPS = 5
TOO_MANY = 5  # times that a host may say so about one address
_ERROR_SHARE = 1 / 60  # of the pause for too many requests: the first one after an error
_LONGEST_PAUSE = 3600.0
_TELL_SECONDS = 0.5


class Fetcher:
    def __init__(
        self, account: Account, warcs: Warcs, manner: Manner, shown: "Progress", line: "TaskID"
    ) -> None:
        self._account, self._warcs, self._manner = account, warcs, manner
        self._shown, self._line = shown, line
        self._turns = Turns(manner.every_of, manner.at_once)
        self._robots = robots.Robots(account, self._ask_for_robots)
        self.left: dict[str, str] = {}  # hosts that were given up in this run, and why
        self.settled: Counter[Outcome] = Counter()
        self.requests = 0
        self._replies = 0

    async def run(self) -> None:
        manner = self._manner
        hosts = iter(self._account.hosts())
        connections = manner.at_once * (manner.hosts + 8)
        async with Client(
            agent=manner.agent,
            connections=connections,
            seconds=manner.seconds,
            allow_local=manner.allow_local,
        ) as self._client:
            telling = asyncio.create_task(self._tell())
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(manner.hosts):
                        group.create_task(self._work(hosts))
            except* (UserError, OSError) as mistakes:
                raise _first(mistakes) from None
            finally:
                telling.cancel()

    async def _work(self, hosts: Iterator[str]) -> None:
        for host in hosts:
            lane = Lane(host, self._account.waiting(host))
            async with asyncio.TaskGroup() as group:
                for _ in range(self._manner.at_once):
                    group.create_task(self._go_along(lane))
            if lane.given_up:
                self._give_up(lane)
            else:
                for failed in lane.back():
                    self._settle(*failed)

    def _give_up(self, lane: Lane) -> None:
        """A host that is away while others reply has failed; otherwise it may be our own network
        that is, and its addresses are left as they are."""
        if lane.away and self._replies > lane.replies_before:
            self._account.fail_all(lane.host, lane.given_up)
        else:
            self.left[lane.host] = lane.given_up

    async def _go_along(self, lane: Lane) -> None:
        while not lane.given_up and (row := next(lane.rows, None)) is not None:
            before = self._replies
            found = await self._outcome(row)
            if lane.judge(row, found, before):
                for failed in lane.back():
                    self._settle(*failed)
                self._settle(row, found)

    def _settle(self, row: Row, found: Got | Trouble) -> None:
        """Between a reply and its place in the account nothing else happens."""
        if isinstance(found, Got) and found.status == 200:
            place = self._warcs.keep(row.address, found)
            settled = Settled(Outcome.FETCHED, None, found.status, found.url)
            self._account.settle(row.number, settled, place)
        else:
            settled = _judged(found)
            self._account.settle(row.number, settled)
        self.settled[settled.outcome] += 1
        self._shown.advance(self._line)

    async def _outcome(self, row: Row) -> Got | Trouble:
        """Follow an address to its page, through the archive's index and through redirects."""
        url, hops = row.next or row.address, row.hops
        try:
            if row.next is None and self._manner.wayback and not self._manner.is_archived(url):
                found = await self._capture(row.address)
                if isinstance(found, Trouble):
                    return found
                url = found
                self._account.lead(row, url, hops)
            while True:
                got = await self._ask(url)
                if isinstance(got, Trouble) or not got.leads_on:
                    return got
                hops += 1
                if hops > MOST_HOPS:
                    return Trouble(f"more than {MOST_HOPS} redirects", again=False)
                url = led_to(url, got.header("location"))
                self._account.lead(row, url, hops)
        except NoAddress as problem:
            return Trouble(str(problem), Outcome.REFUSED, again=False)

    async def _capture(self, address: str) -> str | Trouble:
        manner = self._manner
        asked = captures.question(manner.archive, address, manner.around)
        got = await self._ask(asked, page=False, most=captures.MOST_BYTES)
        return got if isinstance(got, Trouble) else captures.capture(manner.archive, got)

    async def _ask(self, url: str, *, page: bool = True, most: int = MOST_BYTES) -> Got | Trouble:
        """Ask until there is a reply or no hope of one."""
        address = parsed(url)
        turn = self._turns.of(address.host)
        live = page and not self._manner.is_archived(url)
        if live and self._manner.robots:
            rules = await self._robots.rules(address)
            if isinstance(rules, Trouble):
                return rules
            if not robots.allows(rules, address.url):
                return Trouble("robots.txt", Outcome.REFUSED, again=False)
            turn.every = max(turn.every, robots.delay(rules))
        return await self._insist(turn, address.url, page, most)

    async def _ask_for_robots(self, url: str) -> Got | Trouble:
        for _ in range(MOST_HOPS + 1):
            turn = self._turns.of(parsed(url).host)
            got = await self._insist(turn, url, page=False, most=robots.MOST_BYTES)
            if isinstance(got, Trouble) or not got.leads_on:
                return got
            try:
                url = led_to(url, got.header("location"))
            except NoAddress as problem:
                return Trouble(str(problem), again=False)
        return Trouble(f"more than {MOST_HOPS} redirects", again=False)

    async def _insist(self, turn: Turn, url: str, page: bool, most: int) -> Got | Trouble:
        tries = busy = 0
        while True:
            async with turn:
                self.requests += 1
                got = await self._client.get(url, page=page, most=most)
                self._replies += isinstance(got, Got)
                turn.replied = turn.replied or isinstance(got, Got)
                shut_out = _is_shut_out(got, turn)
                turn.hold(self._hold(got, busy, shut_out))
            tries, busy = tries + (not shut_out), busy + shut_out
            if busy == TOO_MANY and isinstance(got, Trouble):
                return replace(got, lost=True)
            if not _may_change(got) or tries == self._manner.tries or busy == TOO_MANY:
                return got
            if not shut_out:
                pause = self._manner.pause * _ERROR_SHARE * 2 ** (tries - 1)
                await asyncio.sleep(min(pause, _LONGEST_PAUSE))

    def _hold(self, got: Got | Trouble, busy: int, shut_out: bool) -> float:
        """How long the host is to be left alone: as it says itself, or longer every time."""
        if isinstance(got, Got) and got.status in (429, 503) and got.wait is not None:
            return got.wait
        return min(self._manner.pause * 2**busy, _LONGEST_PAUSE) if shut_out else 0.0

    async def _tell(self) -> None:
        """What happened, beside the bar: how much was not to be had, and who is left alone."""
        while True:
            bad = sum(count for each, count in self.settled.items() if each != Outcome.FETCHED)
            held = self._turns.held()
            longest = max(held, key=held.__getitem__, default=None)
            note = f"{bad:,} not to be had"
            if longest is not None:
                note += f", {longest} pauses for {held[longest] / 60:.1f} min"
            self._shown.update(self._line, note=note)
            await asyncio.sleep(_TELL_SECONDS)


def _first(group: BaseExceptionGroup[UserError | OSError]) -> UserError | OSError:
    """Groups of tasks lie in one another, and so do their errors."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _is_shut_out(got: Got | Trouble, turn: Turn) -> bool:
    """Whether we are asking too much: some hosts say so, others just close the door."""
    if isinstance(got, Got):
        return got.status == 429
    return got.away and turn.replied


def _may_change(got: Got | Trouble) -> bool:
    if isinstance(got, Trouble):
        return got.again
    return got.status in (408, 425, 429) or got.status >= 500


def _judged(found: Got | Trouble) -> Settled:
    """What a reply that is no page comes to."""
    if isinstance(found, Trouble):
        return Settled(found.outcome, found.what)
    reason = f"{found.status} {found.reason}"[:80]
    if found.status in (404, 410):
        outcome = Outcome.MISSING
    else:
        outcome = Outcome.REFUSED if 400 <= found.status < 500 else Outcome.FAILED
    return Settled(outcome, reason, found.status, found.url)
