"""How many requests are under way at once: more while all goes well, fewer when told so.

It begins with a few. Each reply in good time lets in a little more, about one more for each round
of replies. "429 Too Many Requests" and time-outs take away a third, at most once for the requests
that were sent together. It stops growing when replies take three times as long as they did at best:
then the server only queues them. A server's Retry-After holds back everybody.
"""

import asyncio
import math
import time

FIRST = 4
FEWER = 0.7
LONGER = 3.0  # than at best: the server is queueing
SETTLED = 8  # replies before the average means something
SMOOTH = 0.2  # the weight of the newest reply in the average


class Pace:
    def __init__(self, most: int) -> None:
        self.limit = float(min(FIRST, most))
        self.most = most
        self.running = 0
        self._turn = asyncio.Condition()
        self._not_before = 0.0  # of the monotonic clock
        self._reduced = 0.0
        self._average: float | None = None
        self._best = math.inf
        self._replies = 0

    async def __aenter__(self) -> float:
        """Wait for a turn; gives the moment at which it began."""
        async with self._turn:
            while True:
                await self._turn.wait_for(lambda: self.running < int(self.limit))
                wait = self._not_before - time.monotonic()
                if wait <= 0:
                    break
                self._turn.release()
                try:
                    await asyncio.sleep(wait)
                finally:
                    await self._turn.acquire()
            self.running += 1
        return time.monotonic()

    async def __aexit__(self, *_: object) -> None:
        async with self._turn:
            self.running -= 1
            self._turn.notify(2)  # this turn is free, and the limit may have grown by one

    def went_well(self, seconds: float) -> None:
        old = self._average
        self._average = seconds if old is None else (1 - SMOOTH) * old + SMOOTH * seconds
        self._replies += 1
        if self._replies >= SETTLED:
            self._best = min(self._best, self._average)
        if self._average <= LONGER * self._best:
            self.limit = min(self.limit + 1 / self.limit, self.most)

    def went_badly(self, sent: float) -> None:
        """A request sent at that moment was too much for the server."""
        if sent >= self._reduced:
            self.limit = max(self.limit * FEWER, 1.0)
            self._reduced = time.monotonic()

    def hold(self, seconds: float) -> None:
        """Nobody sends anything for this long."""
        self._not_before = max(self._not_before, time.monotonic() + seconds)
