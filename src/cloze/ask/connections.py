"""Connections that cannot starve the others: uvicorn's, with limits.

A head must arrive whole within seconds of the connection, or of the last answer, and whatever is
not body must be short. There is a limit on all connections and one on those from one address. At
the limit, a new connection replaces one that is waiting for its client (for a head, for a body, or
to have its answer fetched): the oldest one that has never asked anything, or else the oldest. A
well-behaved client has sent its request long before that. A request that is being handled is never
cut off.

A request for which there is no time is refused here (`_shed`), before uvicorn makes a task of it: a
crowd that asks again at once must not take the processor from those who are being answered.
"""

import asyncio
from collections import OrderedDict
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from cloze.ask.guard import WORK, Guard

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_CLOSE = (b"connection", b"close")
_WORK_METHOD, _WORK_URL = (word.encode() for word in WORK)
MOST_OVERHEAD = 64 * 1024  # bytes of a request's head, trailers and the frames of its chunks


class Circle:
    """A limited number of connections: all of them, or those from one address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.members: set[Connection] = set()
        self.strangers: OrderedDict[Connection, None] = OrderedDict()  # have asked nothing yet
        self.known: OrderedDict[Connection, None] = OrderedDict()  # wait for their next request

    def make_room(self) -> bool:
        """Whether one more can come in, if need be in place of one that waits."""
        if len(self.members) < self._most:
            return True
        longest = next(iter(self.strangers), None) or next(iter(self.known), None)
        if longest is not None:
            longest.cut_off()
        return longest is not None


class Book:
    """Who is connected."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most_each = most_each
        self._all = Circle(most)
        self._by_address: dict[str, Circle] = {}

    def enter(self, connection: "Connection", address: str) -> bool:
        own = self._by_address.get(address) or Circle(self._most_each)
        if not (own.make_room() and self._all.make_room()):
            return False
        self._by_address[address] = own  # again, if making room has emptied it
        connection.circles = (self._all, own)
        for circle in connection.circles:
            circle.members.add(connection)
            circle.strangers[connection] = None
        return True

    def leave(self, connection: "Connection", address: str) -> None:
        for circle in connection.circles:
            circle.members.discard(connection)
            circle.strangers.pop(connection, None)
            circle.known.pop(connection, None)
        if connection.circles and not connection.circles[1].members:
            self._by_address.pop(address, None)
        connection.circles = ()


class Connection(HttpToolsProtocol):
    """One connection; `limited` makes the class that uvicorn takes."""

    book: Book
    guard: Guard
    seconds: float  # for a head
    requests: int  # on one connection

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.circles: tuple[Circle, ...] = ()
        self._address = ""
        self._deadline: asyncio.TimerHandle | None = None
        self._overhead = 0  # bytes of this request that are not body
        self._refusal: asyncio.TimerHandle | None = None  # of a request that was shed
        self._is_shedding = False  # the rest of its body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self.book.enter(self, self._address):
            self._wait_for_head()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._refusal is not None:
            self._refusal.cancel()
            self._refusal = None
        self.book.leave(self, self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._overhead += len(data)
        super().data_received(data)
        if self._overhead > MOST_OVERHEAD and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")

    def on_headers_complete(self) -> None:
        if self._refusal is None and self._has_no_time():
            self._shed()
            return
        self._refuse()  # what was asked before, sent together with this
        super().on_headers_complete()
        self._stop_waiting()
        self.requests -= 1
        if self.requests <= 0:
            self.cycle.default_headers = [*self.cycle.default_headers, _CLOSE]

    def on_body(self, body: bytes) -> None:
        self._overhead -= len(body)
        if not self._is_shedding:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._overhead = 0
        if self._is_shedding:
            self._is_shedding = False
            return
        super().on_message_complete()
        if self._is_at_work():
            self._is_not_waiting()

    def on_response_complete(self) -> None:
        if not self._is_at_work():  # on another request, sent before the answer to this one
            self._is_known()
        super().on_response_complete()

    def shutdown(self) -> None:
        self._refuse()
        super().shutdown()

    def cut_off(self) -> None:
        """At once, to make room."""
        self.book.leave(self, self._address)
        self.transport.abort()

    def _has_no_time(self) -> bool:
        """Whether to refuse this request here; one that is unusual in any way goes to the guard."""
        parser = self.parser
        return (
            self.url == _WORK_URL
            and parser.get_method() == _WORK_METHOD
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not (parser.should_upgrade() or self.expect_100_continue)
            and not self.flow.write_paused
            and (self.cycle is None or self.cycle.response_complete)
            and self.requests > 1
            and self.guard.sheds(self.headers)
        )

    def _shed(self) -> None:
        self.requests -= 1
        self._is_shedding = True
        self._stop_waiting()
        self._is_not_waiting()
        self._refusal = self.loop.call_later(self.guard.admission.pause(), self._refuse)

    def _refuse(self) -> None:
        """Write the refusal of the request that was shed, if there is one."""
        if self._refusal is None:
            return
        self._refusal.cancel()
        self._refusal = None
        headers, body = self.guard.busy_response()
        lines = [*self.server_state.default_headers, *headers]
        head = b"".join([b"%b: %b\r\n" % line for line in lines])
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[503], head, body))
        self.server_state.total_requests += 1
        self._is_known()

    def _is_not_waiting(self) -> None:
        """For its client: it cannot be replaced now."""
        for circle in self.circles:
            circle.strangers.pop(self, None)
            circle.known.pop(self, None)

    def _is_known(self) -> None:
        """It has asked something, and waits for its next request."""
        self._is_not_waiting()
        for circle in self.circles:
            circle.known[self] = None
        self._wait_for_head()

    def _is_at_work(self) -> bool:
        cycle = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self.seconds, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        if self.transport.get_write_buffer_size():  # an answer that nobody fetches
            self.transport.abort()
            return
        if self._overhead:  # half a head
            self.transport.write(_TOO_SLOW)
        self.transport.close()


def limited(book: Book, guard: Guard, seconds: float, requests: int) -> type[Connection]:
    """Connections of one server."""
    own = {"book": book, "guard": guard, "seconds": seconds, "requests": requests}
    return type("Limited", (Connection,), own)
