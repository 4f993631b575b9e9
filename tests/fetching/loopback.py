"""A web server on loopback that behaves, or misbehaves, as a test wants.

with Site(lambda path, before: Page("<p>…")) as site:
    ... site.url ...
site.asked        how often each path came
site.delivered    how often each got a whole reply
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tests.loopback import LoopbackServer

BLOCK = b"<p>and so on</p>\n" * 4000


@dataclass
class Page:
    """What goes back. Unless told otherwise it is whole, in UTF-8, with its length."""

    body: str | bytes = ""
    status: str = "200 OK"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None  # send only so many bytes, then hang up
    drip: float | None = None  # seconds between single bytes
    endless: bool = False  # go on for ever
    chunked: bool = False
    silent: bool = False  # never reply
    wait: Callable[[], Awaitable[None]] | None = None  # awaited first

    def head(self, length: int) -> bytes:
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if self.chunked or self.endless:
            headers["Transfer-Encoding"] = "chunked"
        else:
            headers["Content-Length"] = str(length)
        headers |= self.headers
        lines = [
            f"HTTP/1.1 {self.status}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def parts(self) -> Iterable[bytes]:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        if self.endless:
            return itertools.chain(
                [self.head(0)], itertools.repeat(b"%x\r\n%s\r\n" % (len(BLOCK), BLOCK))
            )
        if self.chunked:
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        whole = self.head(len(body)) + body
        whole = whole if self.cut is None else whole[: self.cut]
        return (bytes([byte]) for byte in whole) if self.drip is not None else [whole]


Behaviour = Callable[[str, int], Page]  # (path, how often it came before) -> page


class Site(LoopbackServer):
    def __init__(self, behaviour: Behaviour, hosts: Sequence[str] = ("127.0.0.1",)) -> None:
        super().__init__(hosts)
        self.behaviour = behaviour
        self.asked: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()
        self.heads: list[str] = []
        self.connections: Counter[str] = Counter()
        self.most_at_once = 0
        self.closes_after: int | None = None  # requests, after which no connection is taken
        self._at_once: Counter[str] = Counter()
        self._met: set[object] = set()

    async def answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        host = writer.get_extra_info("sockname")[0]
        if writer not in self._met:
            self._met.add(writer)
            self.connections[host] += 1
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split()[1]
        self.heads.append(head)
        before = self.asked[f"{host}{path}"]
        self.asked[f"{host}{path}"] += 1
        if self.asked.total() == self.closes_after:
            self.stop_listening()
        self._at_once[host] += 1
        self.most_at_once = max(self.most_at_once, self._at_once[host])
        try:
            return await self._send(f"{host}{path}", self.behaviour(path, before), writer)
        finally:
            self._at_once[host] -= 1

    async def _send(self, key: str, page: Page, writer: asyncio.StreamWriter) -> bool:
        if page.wait is not None:
            await page.wait()
        if page.silent:
            await asyncio.sleep(3600)
        for part in page.parts():
            writer.write(part)
            await writer.drain()
            if page.drip is not None:
                await asyncio.sleep(page.drip)
        if page.cut is None:
            self.delivered[key] += 1
        return page.cut is None
