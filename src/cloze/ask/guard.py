"""A guard between the network and the reader: limits, and the headers of every response.

It refuses, before any work is done, a request for which there is no time (`cloze.ask.admission`), a
body that is too large or too slow, and a `Host` that is not this machine (a page elsewhere could
otherwise reach a server on loopback under a name of its own). It stops a request that takes too
long.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cloze.ask.admission import Admission
from cloze.ask.host import is_for
from cloze.ask.messages import Problem

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
_OURS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
WORK = ("POST", "/api/read")  # what is asked of the readers; all else costs next to nothing


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a server takes on."""

    body_bytes: int = 1024 * 1024  # enough for any valid request, escaped or not
    patience: float = 0.8  # seconds: no more is taken than is answered, on average, in this time
    seconds: float = 30.0  # for the work on one request
    head_seconds: float = 10.0  # for a request's head to come in, or the next request
    body_seconds: float = 10.0  # for its body
    connections: int = 768
    connections_each: int = 256  # from one address
    requests_each: int = 1000  # on one connection
    batch: int = 16  # questions in one forward pass


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, limits: Limits, hosts: Collection[str] | None) -> None:
        self.app = app
        self.limits = limits
        self.hosts = hosts  # None: any
        self.admission = Admission(limits.patience)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        response = _Response(send)
        if self.hosts is not None and not is_for(self.hosts, scope["headers"]):
            await response.refuse(400, "wrong_host", "this server answers to localhost only")
        elif self._is_busy(scope, _announced(scope["headers"])):
            await self._refuse_busy(response)
        else:
            body = await self._body(response, receive)
            if body is not None:
                await self._pass_on(scope, body, receive, response)

    async def _body(self, response: "_Response", receive: Receive) -> bytes | None:
        """The request's body, or None if it has been refused or its client is gone."""
        limit = self.limits.body_bytes
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                return await _read_body(receive, limit)
        except TimeoutError:
            seconds = f"{self.limits.body_seconds:g} seconds"
            await response.refuse(408, "too_slow", f"no whole request within {seconds}")
        except _TooLarge:
            line = f"the request has more than {limit:,} bytes"
            await response.refuse(413, "too_large", f"{line}; an article may have 8,000 tokens")
        return None

    async def _pass_on(
        self, scope: Scope, body: bytes, receive: Receive, response: "_Response"
    ) -> None:
        if self._is_busy(scope, len(body)):  # others may have come while the body did
            await self._refuse_busy(response)
            return
        counted = self.admission.work(len(body)) if _is_work(scope) else nullcontext()
        try:
            with counted:
                async with asyncio.timeout(self.limits.seconds):
                    await self.app(scope, _again(body, receive), response.send)
        except TimeoutError:
            line = f"this took more than {self.limits.seconds:g} seconds"
            await response.refuse(503, "too_slow", line, self.admission.retry_after())

    def _is_busy(self, scope: Scope, size: int) -> bool:
        return _is_work(scope) and not self.admission.has_time_for(size)

    async def _refuse_busy(self, response: "_Response") -> None:
        await asyncio.sleep(self.admission.pause())
        await response.refuse(503, *self._busy())

    def _busy(self) -> tuple[str, str, int]:
        seconds = self.admission.retry_after()
        return "busy", f"too many requests at once; try again in {seconds} s", seconds

    def sheds(self, headers: Headers) -> bool:
        """Whether a request for work, of which only the head is there, is refused for lack of
        time. A connection asks this before anything is spent on the request."""
        ours = self.hosts is None or is_for(self.hosts, headers)
        return ours and not self.admission.has_time_for(_announced(headers))

    def busy_response(self) -> tuple[Headers, bytes]:
        """The headers and the body of such a refusal."""
        headers, body = _problem(*self._busy())
        return [*headers, *_OURS], body


def _is_work(scope: Scope) -> bool:
    return (scope["method"], scope["path"]) == WORK


def _announced(headers: Headers) -> int:
    """The size of the body, as far as the head says."""
    for name, value in headers:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


class _TooLarge(Exception):
    pass


async def _read_body(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None if its client is gone.

    The rest of a large body is read and thrown away, up to 16 times the limit: a browser that is
    cut off while sending shows a broken connection and not our message.
    """
    body, count, more = bytearray(), 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        piece: bytes = message.get("body", b"")
        count += len(piece)
        more = message.get("more_body", False) and count <= 16 * limit
        if count <= limit:
            body += piece
    if count > limit:
        raise _TooLarge
    return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """`receive` for a request whose body has been read: first that, then whatever comes."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def from_the_start() -> Message:
        return first.pop() if first else await receive()

    return from_the_start


class _Response:
    """Adds our headers, and remembers whether the response has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            message = {**message, "headers": [*message.get("headers", []), *_OURS]}
        await self._send(message)

    async def refuse(
        self, status: int, error: str, line: str, retry_after: int | None = None
    ) -> None:
        if self._begun:  # too late to say anything else
            return
        headers, body = _problem(error, line, retry_after)
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=256)
def _problem(error: str, line: str, retry_after: int | None) -> tuple[Headers, bytes]:
    """The headers and the body of a refusal."""
    body = Problem(error=error, message=line, field=None).model_dump_json().encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if retry_after is not None:
        headers.append((b"retry-after", str(retry_after).encode()))
    return headers, body
