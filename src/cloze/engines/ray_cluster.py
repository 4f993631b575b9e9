"""A Ray cluster that exists, or one on this machine for as long as the command runs."""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cloze.engines.engine import MOST_DEATHS, Engine, blame
from cloze.errors import UserError
from cloze.extras import needs


def on_ray(address: str | None, workers: int) -> Engine:
    def run(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        deaths: Counter[int] = Counter()
        with _connected(address, workers) as ray:

            @ray.remote(num_cpus=1, max_retries=0)  # type: ignore[untyped-decorator]
            def do(item: Any) -> Any:
                return task(item)

            number_of = {do.remote(item): number for number, item in enumerate(items)}
            while number_of:
                (done, *_), _ = ray.wait(list(number_of))
                number = number_of.pop(done)
                try:
                    yield ray.get(done)
                except ray.exceptions.RayTaskError as problem:
                    raise problem.cause from None
                except ray.exceptions.RayError:  # its worker or its node is gone
                    deaths[number] += 1
                    if deaths[number] > MOST_DEATHS:
                        raise blame(items[number]) from None
                    time.sleep(min(deaths[number], 10))  # a node may be about to come back
                    number_of[do.remote(items[number])] = number

    return run


@contextmanager
def _connected(address: str | None, workers: int) -> Iterator[Any]:
    with needs("ray"):
        import ray

    existing = address or os.environ.get("RAY_ADDRESS")
    here = {} if existing else {"num_cpus": workers or None, "include_dashboard": False}
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, **here)
    except (ConnectionError, OSError, RuntimeError) as problem:
        what = f"no Ray cluster answers ({problem})"
        raise UserError(what, where=address, fix="start one: ray start --head") from None
    try:
        yield ray
    finally:
        ray.shutdown()
