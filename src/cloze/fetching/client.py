"""One request for a page and what came of it, whatever the server does.

The body is kept as it was sent, still compressed, within limits on its size, on what it unpacks to
and on the time.
"""

import asyncio
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpcore

from cloze.fetching.account import Outcome
from cloze.fetching.public import Private, PublicOnly
from cloze.files import MOST_BYTES as MOST_UNPACKED
from cloze.retry_after import seconds_to_wait

MOST_BYTES = 8 << 20  # of a page as it is sent; news pages have some 100 kB
_PAGE = (b"text/html", b"application/xhtml+xml", b"")
_REDIRECT = (301, 302, 303, 307, 308)
_PACKED = (b"gzip", b"x-gzip", b"deflate")
_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 120.0  # for which an unused connection is kept: a host is asked every few seconds
_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Got:
    """A whole reply."""

    url: str
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes
    ip: str | None = None

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def content(self) -> bytes:
        """The body, unpacked."""
        packed = self.header("content-encoding").strip().lower().encode()
        if packed not in _PACKED:
            return self.body
        return b"".join(_unpacked(self.body, packed))

    @property
    def leads_on(self) -> bool:
        return self.status in _REDIRECT and bool(self.header("location"))

    @property
    def wait(self) -> float | None:
        return seconds_to_wait(self.header("retry-after"), most=3600.0)


@dataclass(frozen=True, slots=True)
class Trouble:
    """No whole reply."""

    what: str
    outcome: Outcome = Outcome.FAILED
    again: bool = True  # whether asking again may help
    away: bool = False  # there is no server
    lost: bool = False  # there was one, which has not come back after long pauses


class Client:
    """Connections that are kept open between requests to the same host."""

    def __init__(self, *, agent: str, connections: int, seconds: float, allow_local: bool) -> None:
        self._seconds = seconds
        self._headers = [
            (b"User-Agent", agent.encode()),
            (b"Accept", b"text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"),
            (b"Accept-Encoding", b"gzip, deflate"),
        ]
        self._timeout = {
            "connect": min(_CONNECT_SECONDS, seconds),
            "read": seconds,
            "write": seconds,
            "pool": seconds,
        }
        self._pool = httpcore.AsyncConnectionPool(
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=PublicOnly(allow_local),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pool.aclose()

    async def get(self, url: str, *, page: bool = True, most: int = MOST_BYTES) -> Got | Trouble:
        """Ask for an address; unless it is about a page, any kind of content will do."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._get(url, page, most)
        except Private:
            return Trouble("not a public address", Outcome.REFUSED, again=False)
        except httpcore.ConnectError as problem:
            return Trouble(_said("cannot be reached", problem), away=True)
        except httpcore.ConnectTimeout:
            return Trouble("cannot be reached (time-out)", away=True)
        except (TimeoutError, httpcore.TimeoutException):
            return Trouble("time-out")
        except httpcore.UnsupportedProtocol:
            return Trouble("no http or https address", Outcome.REFUSED, again=False)
        except (httpcore.NetworkError, httpcore.ProtocolError) as problem:
            return Trouble(_kind_of(problem))

    async def _get(self, url: str, page: bool, most: int) -> Got | Trouble:
        extensions = {"timeout": self._timeout}
        async with self._pool.stream(
            "GET", url, headers=self._headers, extensions=extensions
        ) as reply:
            headers = {name.lower(): value for name, value in reply.headers}
            kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
            if reply.status == 200 and page and kind not in _PAGE:
                what = f"not a page but {kind[:60].decode('ascii', 'replace')}"
                return Trouble(what, again=False)
            body = await _read(reply, most)
            if body is None:
                return Trouble(f"over {most / (1 << 20):.0f} MiB", again=False)
            packed = headers.get(b"content-encoding", b"identity").strip().lower()
            if reply.status == 200 and (wrong := _wrong_with(body, packed)) is not None:
                return wrong
            stream = reply.extensions.get("network_stream")
            peer = stream.get_extra_info("server_addr") if stream is not None else None
            return Got(
                url,
                reply.status,
                _text(reply.extensions.get("reason_phrase", b"")) or "-",
                [(_text(name), _text(value)) for name, value in reply.headers],
                body,
                str(peer[0]) if peer else None,
            )


def _text(content: bytes) -> str:
    return content.decode("latin-1")


async def _read(reply: httpcore.Response, most: int) -> bytes | None:
    """The whole body, or None as soon as it is more than that."""
    parts, total = [], 0
    async for part in reply.aiter_stream():
        parts.append(part)
        total += len(part)
        if total > most:
            return None
    return b"".join(parts)


def _wrong_with(body: bytes, packed: bytes) -> Trouble | None:
    if packed in (b"identity", b""):
        return None
    if packed not in _PACKED:
        return Trouble(f"packed in an unknown way ({packed[:20].decode('latin-1')})", again=False)
    size = 0
    try:
        for part in _unpacked(body, packed):
            size += len(part)
            if size > MOST_UNPACKED:
                return Trouble(f"unpacks to over {MOST_UNPACKED >> 20} MiB", again=False)
    except zlib.error:
        return Trouble("cannot be unpacked")
    return None


def _unpacked(body: bytes, packed: bytes) -> Iterator[bytes]:
    """What it unpacks to, a little at a time."""
    if not body:
        return
    # zlib's header, or that of gzip; some servers send deflate without any.
    bare = packed == b"deflate" and (body[0] & 15 != 8 or int.from_bytes(body[:2], "big") % 31)
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS + 32)
    rest = body
    while not unpacking.eof:
        part = unpacking.decompress(rest, _STEP)
        rest = unpacking.unconsumed_tail
        if not part and not rest and not unpacking.eof:
            raise zlib.error("truncated")
        yield part


def _kind_of(problem: Exception) -> str:
    """A connection may end in a thousand ways; an account has one word for each kind."""
    said = str(problem).lower()
    if "incomplete" in said or "without sending complete" in said:
        return "cut short"
    if "without sending a response" in said or isinstance(problem, httpcore.NetworkError):
        return "the connection was closed"
    return "not HTTP"


def _said(what: str, problem: Exception) -> str:
    said = str(problem)
    return f"{what} ({said})" if said == "no such host" else what
