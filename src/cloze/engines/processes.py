"""Processes of this machine, which end with the process that started them."""

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from typing import Any

from cloze.engines.engine import Engine
from cloze.errors import UserError


def on_processes(workers: int) -> Engine:
    def run(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        with pool(min(workers or cores(), max(len(items), 1))) as submit, told():
            if submit is do_here:
                yield from map(task, items)
            else:
                for future in as_completed([submit(task, item) for item in items]):
                    yield future.result()

    return run


def cores() -> int:
    """How many processes this one may run on at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def told() -> Iterator[None]:
    """One line for the user if a process dies."""
    try:
        yield
    except BrokenProcessPool:
        raise UserError(
            "a worker process died (out of memory?)",
            fix="run the same command again, with fewer --workers; finished parts are kept",
        ) from None


@contextlib.contextmanager
def pool(workers: int) -> Iterator[Callable[..., Future[Any]]]:
    """A function that submits work, to this very process if it is to be the only one."""
    if workers == 1:
        yield do_here
        return
    context = multiprocessing.get_context("spawn")
    with _one_thread_each():
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_parent) as made:
            try:
                yield made.submit
            except BaseException:
                made.shutdown(wait=False, cancel_futures=True)
                raise


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers already share the cores: more threads in each would only compete."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before


def do_here(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(function(*arguments))
    return future


def _follow_parent() -> None:
    """End this worker when the process that started it is gone, even after kill -9."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
