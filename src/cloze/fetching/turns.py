"""Whose turn it is to ask a host: one limiter for each host, whoever asks.

A host is asked again only after a pause, by a few connections at once (as a rule one), and by
nobody while it has asked to be left alone.
"""

import asyncio
from asyncio import sleep
from collections.abc import Callable
from time import monotonic

_MOST_HOSTS = 1000  # remembered; those that nobody waits for are forgotten first


class Turn:
    """The turns of one host: `async with turn: ...` around a request."""

    def __init__(self, every: float, at_once: int) -> None:
        self.every = every  # seconds from the beginning of one request to that of the next
        self.free_at = 0.0  # of the monotonic clock
        self.replied = False  # the host has been heard of
        self._places = asyncio.Semaphore(at_once)
        self._starting = asyncio.Lock()
        self.users = 0

    async def __aenter__(self) -> None:
        self.users += 1
        try:
            await self._places.acquire()
            try:
                async with self._starting:
                    while (wait := self.free_at - monotonic()) > 0:
                        await sleep(wait)
                    self.free_at = monotonic() + self.every
            except BaseException:
                self._places.release()
                raise
        except BaseException:
            self.users -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self._places.release()
        self.users -= 1

    def hold(self, seconds: float) -> None:
        """Nobody asks this host for so long."""
        self.free_at = max(self.free_at, monotonic() + seconds)


class Turns:
    def __init__(self, every: Callable[[str], float], at_once: int) -> None:
        self._every, self._at_once = every, at_once
        self._known: dict[str, Turn] = {}

    def of(self, host: str) -> Turn:
        if host not in self._known:
            if len(self._known) >= _MOST_HOSTS:
                self._forget()
            self._known[host] = Turn(self._every(host), self._at_once)
        return self._known[host]

    def held(self) -> dict[str, float]:
        """The hosts that are left alone for longer than usual, and for how many seconds yet."""
        now = monotonic()
        left = {host: turn.free_at - now for host, turn in self._known.items()}
        return {host: wait for host, wait in left.items() if wait > self._known[host].every + 1}

    def _forget(self) -> None:
        now = monotonic()
        self._known = {h: t for h, t in self._known.items() if t.users or t.free_at > now}
