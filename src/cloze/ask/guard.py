"""A guard between the network and the reader: limits, and the headers of every response.

It refuses, before any work is done, a body that is too large, a request when too many are being
handled, and a `Host` that is not this machine (a page elsewhere could otherwise reach a server on
loopback under a name of its own). It stops a request that takes too long.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

from cloze.ask.messages import Problem

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

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
LOOPBACK = frozenset(["localhost", "127.0.0.1", "[::1]"])


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a server takes on."""

    body_bytes: int = 1024 * 1024  # enough for any valid request, escaped or not
    at_once: int = 64  # requests being handled or waiting
    seconds: float = 30.0  # for one request, including its arrival
    batch: int = 16  # questions in one forward pass


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, limits: Limits, hosts: Collection[str] | None) -> None:
        self.app = app
        self.limits = limits
        self.hosts = hosts  # None: any
        self.at_work = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        response = _Response(send)
        if self.hosts is not None and _host(scope) not in self.hosts:
            await response.refuse(400, "wrong_host", "this server answers to localhost only")
            return
        if self.at_work >= self.limits.at_once:
            await response.refuse(503, "busy", "too many requests at once; try again in a moment")
            return
        self.at_work += 1
        body = _Body(receive, self.limits.body_bytes)
        try:
            async with asyncio.timeout(self.limits.seconds):
                await self.app(scope, body.receive, response.send)
        except TimeoutError:
            seconds = f"{self.limits.seconds:g} seconds"
            if body.complete:
                await response.refuse(503, "too_slow", f"this took more than {seconds}")
            else:
                await response.refuse(408, "too_slow", f"no whole request within {seconds}")
        finally:
            self.at_work -= 1


def _host(scope: MutableMapping[str, Any]) -> str:
    """The request's `Host` without its port."""
    for name, value in scope["headers"]:
        if name == b"host":
            host: str = value.decode("latin-1").lower()
            end = host.find("]") + 1 if host.startswith("[") else host.find(":")
            return host if end <= 0 else host[:end]
    return ""


class _Body:
    """Counts the bytes that come in, and refuses too many.

    The rest of a large body is read and thrown away, up to 16 times the limit: a browser that is
    cut off while sending shows a broken connection and not our message.
    """

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._count = 0
        self.complete = False

    async def receive(self) -> Message:
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            self._count += len(message.get("body", b""))
            self.complete = not message.get("more_body", False)
            if self._count <= self._limit:
                return message
            if self.complete or self._count > 16 * self._limit:
                line = f"the request has more than {self._limit:,} bytes"
                raise HTTPException(413, f"{line}; an article may have 2,000 tokens")


class _Response:
    """Adds our headers, and remembers whether the response has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await self._send(message)

    async def refuse(self, status: int, error: str, line: str) -> None:
        if self._begun:  # too late to say anything else
            return
        body = Problem(error=error, message=line, field=None).model_dump_json().encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        if status == 503:
            headers.append((b"retry-after", b"1"))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})
