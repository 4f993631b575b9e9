"""Work in chunks, over several processes, that can be killed at any moment and continued later.

A chunk's files and then its record (a small JSON) are written whole into a work folder. The record
holds the result and a hash of what the chunk was made from; unless that still matches, the chunk is
done again. Chunks depend only on the input, so the outcome depends neither on the number of
processes nor on how often the work was interrupted.
"""

import contextlib
import hashlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any, NamedTuple

from cloze.builder.work_folder import FINISHED
from cloze.errors import UserError
from cloze.files import read_json, write_json
from cloze.progress import bar
from cloze.shape import Shape

Result = dict[str, Any]
Task = Callable[[Path, "Chunk"], Result]


class Chunk(NamedTuple):
    """A named piece of work; `size` is its weight in the progress bar."""

    name: str
    size: int
    payload: Any


def run(
    work: Path,
    chunks: Iterable[Chunk],
    task: Task,
    *,
    workers: int,
    what: str,
    total: int | None,
) -> dict[str, Result]:
    """Do every chunk that is not done yet; returns the result of each by its name, in order."""
    results: dict[str, Result] = {}
    pending: dict[Future[Result], Chunk] = {}
    with bar() as shown, _pool(workers) as submit:
        line = shown.add_task(what, total=total, unit="stories")

        def collect(at_most: int) -> None:
            while len(pending) > at_most:
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    chunk = pending.pop(future)
                    results[chunk.name] = future.result()
                    shown.advance(line, chunk.size)

        try:
            for chunk in chunks:
                results[chunk.name] = {}  # a placeholder: results come in the order of chunks
                record = _record(work, chunk)
                if record is not None:
                    results[chunk.name] = record["result"]
                    shown.advance(line, chunk.size)
                else:
                    pending[submit(partial(_do, work, task), chunk)] = chunk
                    collect(at_most=workers)
            collect(at_most=0)
        except BrokenProcessPool:
            raise UserError(
                "a worker process died (out of memory?)",
                fix="run the same command again, with fewer --workers; finished parts are kept",
            ) from None
    return results


def cores() -> int:
    """How many processes this one may run on at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _do(work: Path, task: Task, chunk: Chunk) -> Result:
    result = task(work, chunk)
    write_json(_path(work, chunk), {"input": _hash(chunk), "result": result})
    return result


def _record(work: Path, chunk: Chunk) -> dict[str, Any] | None:
    """The record of exactly this chunk in the work folder; a chunk that merely has the same name,
    because its input has been edited since, does not count."""
    path = _path(work, chunk)
    if not path.is_file():
        return None
    fix = "remove the folder that it is in"
    record: dict[str, Any] = _Record.check(read_json(path), where=path, fix=fix)
    return record if record["input"] == _hash(chunk) else None


class _Record(Shape):
    input: str
    result: dict[str, Any]


def _path(work: Path, chunk: Chunk) -> Path:
    return work / FINISHED / f"{chunk.name}.json"


def _hash(chunk: Chunk) -> str:
    return hashlib.sha256(repr(chunk.payload).encode()).hexdigest()


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[Callable[..., Future[Result]]]:
    if workers == 1:
        yield _do_here
        return
    context = multiprocessing.get_context("spawn")
    with _one_thread_each():
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_parent) as pool:
            try:
                yield pool.submit
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
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


def _do_here(function: Callable[..., Result], *arguments: Any) -> Future[Result]:
    future: Future[Result] = Future()
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
