"""What the process of the readers does: load them, then answer what comes through the pipe."""

import asyncio
import json
import logging
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection

from cloze.ask.messages import Problem, ReadRequest
from cloze.ask.service import Outcome, Service
from cloze.ask.tagging import tagger
from cloze.errors import UserError
from cloze.finding import find_all
from cloze.names.language import NEWEST_RULES

FAILED = Outcome(
    500,
    Problem(
        error="failed", message="the server failed; this is a fault of ours", field=None
    ).model_dump_json(),
)


@dataclass(frozen=True)
class Loading:
    """What is to be loaded."""

    models: Sequence[str]
    batch: int
    pipeline: str | None = None
    language: str = "en"
    rules: int = NEWEST_RULES
    modules: Sequence[str] = ()  # that register readers
    exact: bool = False  # no products in 8 bits

    def load(self) -> Service:
        for module in self.modules:
            import_module(module)
        answerers = find_all(self.models, device="cpu", exact=self.exact)
        tag = tagger(self.pipeline, self.language)
        return Service(answerers, tag, batch=self.batch, language=self.language, rules=self.rules)


def work(pipe: Connection, loading: Loading) -> None:
    """Load, greet, and answer until an empty message comes or the pipe ends."""
    for sign in (signal.SIGINT, signal.SIGTERM):  # also sent to whole groups of processes
        signal.signal(sign, signal.SIG_IGN)  # the other end says when it is over
    if hasattr(os, "nice"):
        os.nice(5)  # whoever is refused should hear it at once, also where cores are scarce
    try:
        service = loading.load()
        asyncio.run(service.warm_up())
    except UserError as mistake:
        pipe.send_bytes(json.dumps({"mistake": str(mistake)}).encode())
        return
    cards = [card.model_dump() for card in service.cards]
    pipe.send_bytes(json.dumps({"cards": cards}).encode())
    asyncio.run(_answer_all(service, pipe))
    service.close()


async def _answer_all(service: Service, pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    coming: asyncio.Queue[bytes] = asyncio.Queue()

    def listen() -> None:
        message = b"?"
        while message:
            try:
                message = pipe.recv_bytes()
            except (EOFError, OSError):  # the other process is gone
                message = b""
            loop.call_soon_threadsafe(coming.put_nowait, message)

    threading.Thread(target=listen, name="from-server", daemon=True).start()
    async with asyncio.TaskGroup() as tasks:
        while message := await coming.get():
            tasks.create_task(_answer(service, pipe, message))


async def _answer(service: Service, pipe: Connection, message: bytes) -> None:
    try:
        outcome = await service.answer(ReadRequest.model_validate_json(message[8:]))
    except Exception:
        logging.getLogger(__name__).exception("a request failed")
        outcome = FAILED
    with suppress(OSError):  # nobody may be there to hear it
        pipe.send_bytes(message[:8] + outcome.status.to_bytes(2, "big") + outcome.json.encode())
