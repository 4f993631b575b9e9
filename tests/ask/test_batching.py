import asyncio
import threading
from collections.abc import Sequence

import pytest

from cloze.ask.batching import Batcher


class Work:
    """Doubles numbers, remembers its batches, and waits at a gate before the first."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.begun = threading.Event()
        self.gate = threading.Event()

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        self.begun.set()
        assert self.gate.wait()
        if 13 in items:
            raise ValueError("thirteen")
        return [2 * item for item in items]


async def submit_behind(batcher: Batcher[int, int], work: Work, items: list[int]) -> list[object]:
    """One item that holds the thread, then the others while it is busy."""
    first = asyncio.create_task(batcher.submit(0))
    await asyncio.to_thread(work.begun.wait)
    others = [asyncio.create_task(batcher.submit(item)) for item in items]
    await asyncio.sleep(0)  # each task runs until it waits
    work.gate.set()
    return await asyncio.gather(first, *others, return_exceptions=True)


def test_what_waits_together_goes_together() -> None:
    work = Work()
    batcher = Batcher(work, most=4, name="test")
    assert asyncio.run(submit_behind(batcher, work, [1, 2, 3, 4, 5, 6])) == [0, 2, 4, 6, 8, 10, 12]
    assert work.batches == [[0], [1, 2, 3, 4], [5, 6]]
    batcher.close()


def test_only_the_item_at_fault_is_refused() -> None:
    work = Work()
    batcher = Batcher(work, most=8, name="test")
    results = asyncio.run(submit_behind(batcher, work, [1, 13, 2]))
    assert [results[0], results[1], results[3]] == [0, 2, 4]
    assert isinstance(results[2], ValueError)
    batcher.close()


def test_what_was_given_up_is_not_worked_on() -> None:
    work = Work()
    batcher = Batcher(work, most=8, name="test")

    async def go() -> None:
        first = asyncio.create_task(batcher.submit(0))
        await asyncio.to_thread(work.begun.wait)
        gone = asyncio.create_task(batcher.submit(1))
        kept = asyncio.create_task(batcher.submit(2))
        await asyncio.sleep(0)  # each task runs until it waits
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        work.gate.set()
        assert await first == 0
        assert await kept == 4

    asyncio.run(go())
    assert work.batches == [[0], [2]]
    batcher.close()


def test_closing_finishes_what_waits() -> None:
    work = Work()
    batcher = Batcher(work, most=2, name="test")

    async def go() -> list[int]:
        tasks = [asyncio.create_task(batcher.submit(item)) for item in (1, 2, 3)]
        await asyncio.to_thread(work.begun.wait)
        closed = asyncio.create_task(asyncio.to_thread(batcher.close))
        await asyncio.sleep(0)
        work.gate.set()
        await closed
        return await asyncio.gather(*tasks)

    assert asyncio.run(go()) == [2, 4, 6]
