"""A server on loopback in a thread of its own; its children say what goes back."""

import asyncio
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self


class LoopbackServer:
    """Listens on the same port of all its hosts while its `with` block runs."""

    def __init__(self, hosts: Sequence[str] = ("127.0.0.1",)) -> None:
        self.hosts = hosts
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    async def answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; returns whether the connection may go on."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = 0
        for host in self.hosts:
            starting = asyncio.start_server(self._serve, host, self.port)
            self._servers.append(asyncio.run_coroutine_threadsafe(starting, self.loop).result())
            self.port = self._servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    @property
    def url(self) -> str:
        return f"http://{self.hosts[0]}:{self.port}"

    def stop_listening(self) -> None:
        for server in self._servers:
            server.close()

    async def _close(self) -> None:
        self.stop_listening()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self.answer_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
