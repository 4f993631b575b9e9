"""Run the server until it is told to stop; it then finishes the open requests."""

import ipaddress
import signal
import socket
from collections.abc import Callable

import uvicorn

from cloze.ask.guard import Guard
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


def run(app: Guard, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM. Open requests are then finished and no new ones accepted."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=int(app.limits.seconds) + 1,
        # The guard refuses politely; this cuts off clients that open endless connections.
        limit_concurrency=16 * app.limits.at_once,
    )
    server = _Announcing(config, ready)
    # uvicorn raises the signal again when it is done; by then everything has been finished.
    before = {sign: signal.signal(sign, _quietly) for sign in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listening])
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _quietly(*_: object) -> None:
    pass
