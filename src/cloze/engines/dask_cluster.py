"""A Dask cluster that exists. Its scheduler keeps no record of what was done: we do.

Workers and whole nodes may come and go. If the scheduler itself is lost, what is not done yet is
given to the next one at the same address.
"""

import asyncio
import concurrent.futures
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cloze.engines.engine import MOST_DEATHS, Engine, blame
from cloze.errors import UserError
from cloze.extras import needs

_PATIENCE = 600  # seconds to wait for a scheduler that has been seen before
_LOST = (OSError, asyncio.CancelledError, concurrent.futures.CancelledError, RuntimeError)


def on_dask(address: str) -> Engine:
    def run(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        left = dict(enumerate(items))
        deaths: Counter[int] = Counter()
        patience = 0
        while left:
            with _client(address, patience) as client:
                try:
                    for number, result in _run(client, task, left, deaths):
                        del left[number]
                        yield result
                except _LOST:
                    if client.status == "running" and client.scheduler_info()["workers"]:
                        raise  # a fault of the task and not of the cluster
            patience = _PATIENCE

    return run


def _run(
    client: Any, task: Callable[[Any], Any], left: dict[int, Any], deaths: Counter[int]
) -> Iterator[tuple[int, Any]]:
    import distributed

    def submit(number: int) -> Any:
        return client.submit(task, left[number], pure=False)

    number_of = {submit(number): number for number in left}
    waiting = distributed.as_completed(list(number_of), loop=client.loop)
    for future in waiting:
        number = number_of.pop(future)
        try:
            result = future.result()
        except distributed.KilledWorker:
            deaths[number] += 1
            if deaths[number] * 4 > MOST_DEATHS:  # Dask gives up after four
                raise blame(left[number]) from None
            again = submit(number)
            number_of[again] = number
            waiting.add(again)
        else:
            yield number, result


def _client(address: str, patience: float) -> Any:
    """A connection to the scheduler, for which it waits if it was there before."""
    with needs("dask"):
        import distributed

    until = time.monotonic() + patience
    while True:
        try:
            return distributed.Client(address, timeout=10, set_as_default=False)
        except (TimeoutError, OSError):
            if time.monotonic() > until:
                raise UserError(
                    "no Dask scheduler answers", where=address, fix="start one: dask scheduler"
                ) from None
