"""Clients that mean ill, against a real server on loopback."""

import gc
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from cloze.ask.connections import MOST_OVERHEAD, Connection
from cloze.ask.guard import Guard, Limits
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.readers.reader import Reader

from .conftest import ARTICLE, Gate, capitals, get, post, served

HALF_A_HEAD = b"GET /api/models HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
REQUEST = b"GET /api/models HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def serving(readers: dict[str, Reader], **limits: float) -> Iterator[str]:
    service = Service({"patient": readers["patient"]}, capitals, batch=4)
    with served(create_app(service, [], limits=Limits(**limits))) as address:  # type: ignore[arg-type]
        yield address


def connect(address: str, source: str = "127.0.0.1") -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname is not None
    assert parts.port is not None
    return socket.create_connection((parts.hostname, parts.port), source_address=(source, 0))


def everything(link: socket.socket) -> bytes:
    """What comes until the connection ends."""
    received = b""
    with suppress(ConnectionResetError):
        while piece := link.recv(65536):
            received += piece
    return received


def ask(link: socket.socket) -> bytes:
    """Send REQUEST; the whole answer to it."""
    link.sendall(REQUEST)
    received = b""
    while not received.endswith(b"}]"):
        piece = link.recv(65536)
        assert piece, received
        received += piece
    return received


def test_half_a_head_is_not_waited_for(readers: dict[str, Reader]) -> None:
    with serving(readers, head_seconds=0.2) as address:
        with connect(address) as slow, connect(address) as silent, connect(address) as idle:
            slow.sendall(HALF_A_HEAD)
            idle.sendall(REQUEST)
            assert everything(slow).startswith(b"HTTP/1.1 408")
            assert everything(silent) == b""
            answer = everything(idle)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b" 408 " not in answer


def test_bytes_that_come_one_by_one_win_no_time(readers: dict[str, Reader]) -> None:
    with serving(readers, head_seconds=0.5) as address, connect(address) as slow:
        slow.sendall(HALF_A_HEAD)
        slow.settimeout(0.05)
        received = b""
        while not received:  # ends because the server ends it
            slow.sendall(b"x")
            try:
                received = slow.recv(65536)
            except TimeoutError:
                continue
        assert received.startswith(b"HTTP/1.1 408")


def test_slow_connections_make_room_for_good_ones_from_the_same_address(
    readers: dict[str, Reader],
) -> None:
    with serving(readers, connections=20, connections_each=5) as address, ExitStack() as open_:
        slow = [open_.enter_context(connect(address)) for _ in range(30)]
        for link in slow:
            with suppress(ConnectionError):  # cut off by now
                link.sendall(HALF_A_HEAD)
        for _ in range(3):
            assert get(f"{address}/api/models").status_code == 200
        ended = [everything(link) for link in slow[:25]]
        assert ended == [b""] * 25  # the last five, at most, are still waited for


def test_slow_connections_from_many_addresses(readers: dict[str, Reader]) -> None:
    with serving(readers, connections=10, connections_each=5) as address, ExitStack() as open_:
        try:
            slow = [
                open_.enter_context(connect(address, f"127.0.0.{2 + k % 20}")) for k in range(60)
            ]
        except OSError:
            pytest.skip("this system has one loopback address")
        with httpx.Client(timeout=None) as good:
            for _ in range(3):
                assert good.get(f"{address}/api/models").status_code == 200
        assert [everything(link) for link in slow[:50]] == [b""] * 50


def test_whoever_has_asked_something_stays_longer_than_strangers(
    readers: dict[str, Reader],
) -> None:
    with serving(readers, connections_each=4) as address, ExitStack() as open_:
        known = open_.enter_context(connect(address))
        assert ask(known).startswith(b"HTTP/1.1 200")
        strangers = [open_.enter_context(connect(address)) for _ in range(12)]
        assert get(f"{address}/api/models").status_code == 200  # all have been let in by now
        assert everything(strangers[0]) == b""
        assert ask(known).startswith(b"HTTP/1.1 200")


def test_what_is_worked_on_is_never_cut_off(readers: dict[str, Reader]) -> None:
    gate = Gate()
    service = Service({"patient": readers["patient"]}, gate, batch=4)
    app = create_app(service, [], limits=Limits(connections_each=2, seconds=10_000))
    body = f'{{"article": "{ARTICLE}"}}'.replace("\n", " ").encode()
    head = b"POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    request = head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with served(app) as address:
        gate.open.clear()
        with connect(address) as one, connect(address) as two:
            one.sendall(request)
            two.sendall(request)
            _wait_for(app, 2)
            with connect(address) as third:
                assert everything(third) == b""
            gate.open.set()
            assert everything(one).startswith(b"HTTP/1.1 200")
            assert everything(two).startswith(b"HTTP/1.1 200")


def _wait_for(app: Guard, at_work: int) -> None:
    while app.admission.at_work < at_work:
        time.sleep(0.01)


def test_a_connection_serves_so_many_requests(readers: dict[str, Reader]) -> None:
    with serving(readers, requests_each=3) as address, connect(address) as link:
        for number in (1, 2, 3):
            assert (b"connection: close" in ask(link).lower()) == (number == 3)
        assert everything(link) == b""


@pytest.mark.parametrize(
    "endless",
    [
        HALF_A_HEAD + b"x" * 2 * MOST_OVERHEAD,
        b"GET /" + b"x" * 2 * MOST_OVERHEAD,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * MOST_OVERHEAD,
        b"POST /api/read HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1\r\n \r\n" * MOST_OVERHEAD,
        b"POST /api/read HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"0\r\nA: "
        + b"x" * 2 * MOST_OVERHEAD,
    ],
)
def test_what_is_not_body_must_be_short(readers: dict[str, Reader], endless: bytes) -> None:
    with serving(readers, head_seconds=1000, body_seconds=1000) as address:
        with connect(address) as link:
            with suppress(ConnectionError):  # cut off while sending
                link.sendall(endless)
            assert everything(link)[:12] in (b"", b"HTTP/1.1 400")
        assert get(f"{address}/api/models").status_code == 200


def test_many_requests_on_one_connection_sent_at_once(readers: dict[str, Reader]) -> None:
    with serving(readers) as address, connect(address) as link:
        link.sendall(19 * REQUEST + REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert everything(link).count(b"HTTP/1.1 200") == 20


def test_nobody_who_has_left_is_remembered(readers: dict[str, Reader]) -> None:
    def remembered() -> int:
        gc.collect()
        return sum(issubclass(type(thing), Connection) for thing in gc.get_objects())

    with serving(readers, connections_each=5) as address:
        for _ in range(20):
            assert post(f"{address}/api/read", json={"article": ARTICLE}).status_code == 200
            with connect(address) as link:
                link.sendall(HALF_A_HEAD)
        with connect(address) as link:
            assert ask(link)
            while remembered() > 1:  # until the loop has come round to it
                time.sleep(0.01)
