"""What a site allows: its robots.txt (RFC 9309), asked for once a day.

Without one, or where it may not be read, everything is allowed. Where the server cannot say,
nothing is: its pages are left for another time.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from protego import Protego

from cloze.fetching.account import Account
from cloze.fetching.address import Address
from cloze.fetching.client import Got, Trouble

AGENT = "cloze-reader"
MOST_BYTES = 500 << 10
_DAY = 86_400.0
_MOST_KNOWN = 500
_LONGEST_DELAY = 300.0

Ask = Callable[[str], Awaitable[Got | Trouble]]


class Robots:
    def __init__(self, account: Account, ask: Ask) -> None:
        self._account, self._ask = account, ask
        self._known: OrderedDict[str, Protego] = OrderedDict()
        self._asking: dict[str, asyncio.Lock] = {}

    async def rules(self, address: Address) -> Protego | Trouble:
        """What holds for an address; one request at most, whoever asks."""
        origin = address.origin
        if origin in self._known:
            self._known.move_to_end(origin)
            return self._known[origin]
        async with self._asking.setdefault(origin, asyncio.Lock()):
            if origin not in self._known:
                body = self._account.robots(origin, time.time() - _DAY)
                if body is None:
                    body_or_trouble = await self._body(origin)
                    if isinstance(body_or_trouble, Trouble):
                        return body_or_trouble
                    body = body_or_trouble
                self._remember(origin, Protego.parse(body.decode("utf-8", "replace")))
        self._asking.pop(origin, None)
        return self._known[origin]

    async def _body(self, origin: str) -> bytes | Trouble:
        got = await self._ask(f"{origin}/robots.txt")
        if isinstance(got, Trouble):
            return Trouble(f"robots.txt: {got.what}", got.outcome, False, got.away, got.lost)
        if got.status >= 500 or got.status == 429:
            return Trouble(f"robots.txt: {got.status}", again=False)
        body = got.content if got.status == 200 else b""
        self._account.keep_robots(origin, body, time.time())
        return body

    def _remember(self, origin: str, rules: Protego) -> None:
        self._known[origin] = rules
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)


def allows(rules: Protego, url: str) -> bool:
    return bool(rules.can_fetch(url, AGENT))


def delay(rules: Protego) -> float:
    """The seconds between requests that the site asks for."""
    return min(float(rules.crawl_delay(AGENT) or 0.0), _LONGEST_DELAY)
