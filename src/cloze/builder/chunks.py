"""Work in chunks over processes that can be killed at any moment and taken up again.

A chunk's files and then its result (a small JSON) are written whole into a work folder; a chunk
whose result stands there is not done again. What a chunk is depends on the input alone, so the
outcome depends neither on the number of processes nor on how often the work was broken off.
"""

import contextlib
import json
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any, NamedTuple

from filelock import BaseFileLock, FileLock, Timeout

from cloze.errors import UserError
from cloze.files import PARTIAL, read_json, write_json
from cloze.progress import bar

Result = dict[str, Any]
Task = Callable[[Path, "Chunk"], Result]

RESULT = "result"  # in the work folder: the file or folder that is to become the output
FINISHED = "chunks"  # in the work folder: what is done; the folder is kept for its sake
_IDENTITY = "identity.json"
_MOVING = "moving.json"
_LOCK = "lock"


class Chunk(NamedTuple):
    """A named piece of work; `size` is what it counts for in the progress bar."""

    name: str
    size: int
    payload: Any


@contextlib.contextmanager
def work_folder(out: Path, identity: dict[str, Any]) -> Iterator[Path]:
    """A folder beside `out` that outlives a kill; what other input or options left there is
    removed, and so is the whole folder when the block ends well."""
    work = _work_of(out)
    identity = json.loads(json.dumps(identity))  # as it will be read back
    if not work.exists():
        _create(work, identity)
    with contextlib.ExitStack() as held:
        try:
            lock = held.enter_context(FileLock(work / _LOCK, timeout=0))
        except Timeout:
            raise UserError("another run is writing here", where=out, fix="wait for it") from None
        if read_json(work / _IDENTITY) != identity:
            _remove_all(work, but=(_LOCK, _IDENTITY))
            write_json(work / _IDENTITY, identity)
        _remove_partial(work)
        try:
            yield work
        except Exception:
            if not (work / FINISHED).is_dir():  # nothing done that would be worth keeping
                _let_go(lock)
                shutil.rmtree(work, ignore_errors=True)
            raise
        _remove_all(work, but=(_LOCK, _IDENTITY, _MOVING))
        _let_go(lock)
        _remove_work(work)


def _let_go(lock: BaseFileLock) -> None:
    """Windows removes no file that is held; elsewhere the lock is held until its file is gone."""
    if os.name == "nt":
        lock.release()


def _create(work: Path, identity: dict[str, Any]) -> None:
    """The folder appears with its identity in it: one without is being removed."""
    new = work.with_name(f"{work.name}.new")
    if new.exists():
        shutil.rmtree(new)
    write_json(new / _IDENTITY, identity)
    os.replace(new, work)


def was_finished(out: Path) -> bool:
    """Whether a run was killed when its result was `out` already, with only its work to remove;
    the work is then removed."""
    work = _work_of(out)
    if not work.is_dir() or (work / RESULT).exists():
        return False
    if (work / _IDENTITY).is_file() and not (work / _MOVING).is_file():
        return False
    _remove_work(work)
    return True


def check_free(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError("already exists", where=out, fix="choose another place or give --overwrite")


def move_out(work: Path, out: Path) -> None:
    """The last step: the result becomes `out`, and what stood there before goes."""
    _remove_partial(work)
    write_json(work / _MOVING, True)
    old = work / "old"
    if out.exists():
        os.replace(out, old)
    os.replace(work / RESULT, out)


def _work_of(out: Path) -> Path:
    return out.with_name(f".{out.name}.building")


def _remove_work(work: Path) -> None:
    """In an order that leaves no doubt, at whatever moment it is broken off, that all was done."""
    _remove_all(work, but=(_IDENTITY, _MOVING))
    (work / _IDENTITY).unlink(missing_ok=True)
    (work / _MOVING).unlink(missing_ok=True)
    work.rmdir()


def _remove_all(work: Path, but: tuple[str, ...]) -> None:
    for left in work.iterdir():
        if left.name not in but:
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def _remove_partial(folder: Path) -> None:
    """Remove what a killed run was in the middle of writing."""
    for left in folder.rglob(f".*{PARTIAL}"):
        left.unlink(missing_ok=True)


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
                path = work / FINISHED / f"{chunk.name}.json"
                results[chunk.name] = {}  # holds the place: results come in the order of chunks
                if path.is_file():
                    results[chunk.name] = read_json(path)
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
    write_json(work / FINISHED / f"{chunk.name}.json", result)
    return result


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
    """Workers share the cores already: more threads in each would only get in each other's way."""
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
    """End this worker when the process that started it is gone, were it by kill -9."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
