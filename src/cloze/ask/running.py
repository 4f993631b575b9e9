"""Run the server until it is told to stop; it then finishes the open requests."""

import ipaddress
import signal
import socket
from collections.abc import Callable

import uvicorn

from cloze.ask.connections import Book, limited
from cloze.ask.guard import Guard
from cloze.ask.reading_process import ReadingProcess
from cloze.errors import UserError


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UserError(
            f"cannot listen there ({reason})", where=f"{host}:{port}", fix="give another --port"
        ) from None
    # Connections inherit it. asyncio sets it only if the socket names its protocol, which this one
    # does not; without it an answer's body waits 40 ms for the client to acknowledge its head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def run(
    app: Guard,
    listening: socket.socket,
    ready: Callable[[], None],
    reading: ReadingProcess | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Open requests are then finished and no new ones accepted."""
    server = _Announcing(configure(app), ready)
    if reading is not None:
        reading.when_lost = server.stop
    # uvicorn raises the signal again when it is done; by then everything has been finished.
    before = {sign: signal.signal(sign, _quietly) for sign in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listening])
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


def configure(app: Guard) -> uvicorn.Config:
    """uvicorn within the limits of the application's guard."""
    limits = app.limits
    book = Book(min(limits.connections, _files_allowed() // 2), limits.connections_each)
    return uvicorn.Config(
        app,
        http=limited(book, app, limits.head_seconds, limits.requests_each),
        ws="none",
        log_level="error",  # a warning for each bad request would let strangers fill a disk
        access_log=False,
        server_header=False,
        timeout_keep_alive=int(limits.head_seconds) + 1,  # ours comes first
        timeout_graceful_shutdown=int(limits.body_seconds + limits.seconds) + 1,
        backlog=64,  # asyncio accepts this many at once, before any of them is counted
    )


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(4096)  # those not yet accepted wait in the kernel
        self._ready()

    def stop(self) -> None:
        self.should_exit = True


def _quietly(*_: object) -> None:
    pass


def _files_allowed() -> int:
    """How many files and connections this process may have open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 1 << 20
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
