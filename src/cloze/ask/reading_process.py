"""A `Service` in a process of its own.

The process that talks to clients must never wait for the one that thinks: in one process they would
share the interpreter's lock, and a refusal would take as long as a piece of somebody's answer.

    clients <-> this process: HTTP, limits <- pipe -> the other: names, readers

A message is a number of eight bytes and JSON; in an answer, a status of two bytes stands between.
"""

import asyncio
import json
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from cloze.ask.messages import ModelCard, ReadRequest
from cloze.ask.reading_work import FAILED, Loading, work
from cloze.ask.service import Outcome
from cloze.errors import UserError

PATIENCE = 60  # seconds for the other process to end


class ReadingProcess:
    """This process's end of the pipe."""

    def __init__(self, loading: Loading) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=work, args=(theirs, loading), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of that process ends the pipe
        self.cards = self._greeting()
        self.when_lost: Callable[[], None] = lambda: None  # called if the other process dies
        self.lost = False
        self._closing = False
        self._waiting: dict[int, Future[Outcome]] = {}
        self._count = 0
        # Whoever writes into a full pipe waits, and that must not be the event loop.
        self._writer = ThreadPoolExecutor(1, "to-readers")
        self._listener = threading.Thread(target=self._listen, name="from-readers", daemon=True)
        self._listener.start()

    def _greeting(self) -> list[ModelCard]:
        try:
            greeting = json.loads(self._pipe.recv_bytes())
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            raise RuntimeError(f"the process of the readers ended with {code}") from None
        if "mistake" in greeting:
            raise UserError(greeting["mistake"])
        return [ModelCard(**card) for card in greeting["cards"]]

    async def warm_up(self) -> None:
        """The other process has done so before it greeted."""

    async def answer(self, request: ReadRequest) -> Outcome:
        self._count += 1
        number = self._count
        future: Future[Outcome] = Future()
        self._waiting[number] = future
        message = number.to_bytes(8, "big") + request.model_dump_json().encode()
        self._writer.submit(self._pipe.send_bytes, message)
        try:
            return FAILED if self.lost else await asyncio.wrap_future(future)
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """End the other process, when it has answered what it was asked."""
        self._closing = True
        self._writer.submit(self._pipe.send_bytes, b"")
        self._writer.shutdown()
        self._process.join(PATIENCE)
        self._process.kill()  # does nothing to one that has ended
        self._listener.join()

    def _listen(self) -> None:
        try:
            while True:
                message = self._pipe.recv_bytes()
                outcome = Outcome(int.from_bytes(message[8:10], "big"), message[10:].decode())
                self._settle(int.from_bytes(message[:8], "big"), outcome)
        except (EOFError, OSError):
            self.lost = not self._closing
            for number in list(self._waiting):
                self._settle(number, FAILED)
            if self.lost:
                self.when_lost()

    def _settle(self, number: int, outcome: Outcome) -> None:
        future = self._waiting.get(number)
        if future is not None and future.set_running_or_notify_cancel():
            future.set_result(outcome)
