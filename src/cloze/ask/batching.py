"""Requests that wait together are handled together.

One thread does the work. While it is busy, new requests wait; when it is free, all that are waiting
go into one call, so a lone request never waits for company and a crowd shares one forward pass.

    work      |--- a ---|------- b c d -------|--- e ---|
    arrivals  a   b c d                     e
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Batcher(Generic[T, R]):
    """Calls `work` with up to `most` items at a time, from a thread of its own.

    `work` returns a result for each item, in order. If it raises, the items are tried one by one,
    so that only the one at fault is refused.
    """

    def __init__(self, work: Callable[[Sequence[T]], Sequence[R]], *, most: int, name: str) -> None:
        self._work = work
        self._most = most
        self._waiting: queue.SimpleQueue[tuple[T, Future[R]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def submit(self, item: T) -> R:
        """The result for one item; cancelling this takes the item out of the queue again."""
        future: Future[R] = Future()
        self._waiting.put((item, future))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Finish what waits, then end the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        last = False
        while not last:
            batch, last = self._gather()
            wanted = [(item, future) for item, future in batch if _still_wanted(future)]
            if wanted:
                self._answer(wanted)
            # An idle thread's variables would keep the last request alive until the next one comes.
            batch, wanted = [], []

    def _gather(self) -> tuple[list[tuple[T, Future[R]]], bool]:
        """Wait for one item and take all others that wait; the flag says that this is the end."""
        first = self._waiting.get()
        if first is None:
            return [], True
        batch = [first]
        while len(batch) < self._most:
            try:
                following = self._waiting.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _answer(self, batch: list[tuple[T, Future[R]]]) -> None:
        try:
            results = self._work([item for item, _ in batch])
        except Exception as problem:
            if len(batch) == 1:
                batch[0][1].set_exception(problem)
                return
            for pair in batch:
                self._answer([pair])
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)


def _still_wanted(future: "Future[R]") -> bool:
    return future.set_running_or_notify_cancel()
