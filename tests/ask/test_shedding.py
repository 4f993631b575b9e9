"""Requests for which there is no time are refused by their connection, in order and in full."""

import gc
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cloze.ask.connections import Connection
from cloze.ask.guard import HEADERS, Guard, Limits
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.readers.reader import Reader

from .conftest import ARTICLE, Gate, served
from .test_connections import REQUEST, connect, everything

BODY = json.dumps({"article": ARTICLE}).encode()
READ = (
    b"POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
)
LAST = READ.replace(b"Host:", b"Connection: close\r\nHost:")  # such a one goes to the guard


@contextmanager
def busy(readers: dict[str, Reader], **limits: Any) -> Iterator[tuple[str, Guard]]:
    """A server whose readers are at work on as much as it takes on."""
    gate = Gate()
    service = Service({"patient": readers["patient"]}, gate, batch=4)
    app = create_app(service, [], limits=Limits(seconds=10_000, **limits))
    with served(app) as address, connect(address) as one, connect(address) as two:
        gate.open.clear()
        try:
            for link in (one, two):
                link.sendall(LAST)
            while app.admission.at_work < 2:
                time.sleep(0.01)
            yield address, app
        finally:
            gate.open.set()
            assert everything(one).startswith(b"HTTP/1.1 200")
            assert everything(two).startswith(b"HTTP/1.1 200")


def answers(link: socket.socket, count: int) -> list[tuple[int, dict[str, str], bytes]]:
    """Whole answers: status, headers and body of each."""
    found = []
    with link.makefile("rb") as stream:
        for _ in range(count):
            status = int(stream.readline().split()[1])
            lines = iter(lambda: stream.readline().decode().strip(), "")
            headers = dict(line.split(": ", 1) for line in lines)
            found.append((status, headers, stream.read(int(headers["content-length"]))))
    return found


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What uvicorn made tasks of."""
    begun: list[object] = []
    start = Connection._start_asgi_task

    def counted(self: Connection, cycle: Any, app: Any) -> None:
        begun.append(cycle)
        start(self, cycle, app)

    monkeypatch.setattr(Connection, "_start_asgi_task", counted)
    return begun


def test_a_refusal_says_all_that_the_guard_says_and_makes_no_task(
    readers: dict[str, Reader], tasks: list[object]
) -> None:
    with busy(readers) as (address, _), connect(address) as link:
        before = len(tasks)
        for _ in range(3):  # on one connection
            link.sendall(READ)
            ((status, headers, body),) = answers(link, 1)
            assert status == 503
            assert json.loads(body)["error"] == "busy"
            assert f"try again in {headers['retry-after']} s" in json.loads(body)["message"]
            assert headers.items() >= HEADERS.items()
        assert len(tasks) == before
        link.sendall(LAST)
        ((status, by_guard, body),) = answers(link, 1)
        assert (status, json.loads(body)["error"]) == (503, "busy")
        assert by_guard.keys() - {"connection"} == headers.keys()


def test_whatever_else_is_asked_is_answered(readers: dict[str, Reader]) -> None:
    with busy(readers) as (address, _), connect(address) as link:
        link.sendall(READ.replace(b"localhost", b"evil.com"))
        assert answers(link, 1)[0][0] == 400
        link.sendall(REQUEST)
        assert answers(link, 1)[0][0] == 200
        link.sendall(READ)
        assert answers(link, 1)[0][0] == 503
        link.sendall(READ.replace(b"/api/read", b"/api/rode"))
        assert answers(link, 1)[0][0] == 404


def test_requests_that_are_sent_together_are_answered_in_their_order(
    readers: dict[str, Reader],
) -> None:
    with busy(readers) as (address, _), connect(address) as link:
        link.sendall(READ + READ + REQUEST + READ + REQUEST + REQUEST + READ)
        assert [each[0] for each in answers(link, 7)] == [503, 503, 200, 503, 200, 200, 503]


def test_a_body_may_come_after_its_refusal(readers: dict[str, Reader]) -> None:
    with busy(readers) as (address, _), connect(address) as link:
        half = len(READ) - len(BODY) // 2
        link.sendall(READ[:half])
        assert answers(link, 1)[0][0] == 503
        link.sendall(READ[half:] + REQUEST)
        assert answers(link, 1)[0][0] == 200


def test_the_last_request_of_a_connection_ends_it(readers: dict[str, Reader]) -> None:
    with busy(readers, requests_each=3) as (address, _), connect(address) as link:
        link.sendall(3 * READ)
        found = answers(link, 3)
        assert [headers.get("connection") for _, headers, _ in found] == [None, None, "close"]
        assert everything(link) == b""


def test_a_refusal_that_waits_is_given_when_the_server_ends(readers: dict[str, Reader]) -> None:
    with busy(readers) as (address, app):
        app.admission.pause = lambda: 10_000.0  # type: ignore[method-assign]
        link = connect(address)
        link.sendall(READ)
        while app.admission.at_work < 2 or not _waiting(app):
            time.sleep(0.01)
    with link:
        assert everything(link).startswith(b"HTTP/1.1 503")


def test_whoever_leaves_before_the_refusal_is_forgotten(readers: dict[str, Reader]) -> None:
    with busy(readers) as (address, app):
        app.admission.pause = lambda: 10_000.0  # type: ignore[method-assign]
        with connect(address) as link:
            link.sendall(READ)
            while not _waiting(app):
                time.sleep(0.01)
        while _waiting(app):
            time.sleep(0.01)


def _waiting(app: Guard) -> int:
    """Connections whose refusal is not written yet."""
    return sum(
        issubclass(type(thing), Connection) and thing.guard is app and thing._refusal is not None
        for thing in gc.get_objects()
    )
