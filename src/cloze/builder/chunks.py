"""Work in chunks, over several processes, that can be killed at any moment and continued later.

A chunk's files and then its record (a small JSON) are written whole into a work folder. The record
holds the result, a hash of what the chunk was made from, and those of its files. If the input is no
longer the same, the chunk is done again; if a file is not, the work was damaged and is refused.
Chunks depend only on the input, so the outcome depends neither on the number of processes nor on
how often the work was interrupted.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from cloze.builder.work_folder import FINISHED, take_away
from cloze.engines.processes import pool, told
from cloze.errors import UserError
from cloze.files import described, read_json, verify, write_json
from cloze.progress import bar
from cloze.shape import FileShape, Shape

Result = dict[str, Any]
Task = Callable[[Path, "Chunk"], Result]
Files = Callable[[Path, "Chunk"], Sequence[Path]]  # that the task leaves in the work folder


class Chunk(NamedTuple):
    """A named piece of work; `size` is its weight in the progress bar."""

    name: str
    size: int
    payload: Any


def run(
    work: Path,
    chunks: Iterable[Chunk],
    task: Task,
    files: Files,
    *,
    workers: int,
    what: str,
    total: int | None,
) -> dict[str, Result]:
    """Do every chunk that is not done yet; returns the result of each by its name, in order."""
    results: dict[str, Result] = {}
    pending: dict[Future[Result], Chunk] = {}
    with bar() as shown, told(), pool(workers) as submit:
        line = shown.add_task(what, total=total, unit="stories")

        def collect(at_most: int) -> None:
            while len(pending) > at_most:
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    chunk = pending.pop(future)
                    results[chunk.name] = future.result()
                    shown.advance(line, chunk.size)

        for chunk in chunks:
            results[chunk.name] = {}  # a placeholder: results come in the order of chunks
            record = _record(work, chunk)
            if record is not None:
                _check_files(work, record)
                results[chunk.name] = record["result"]
                shown.advance(line, chunk.size)
            else:
                pending[submit(partial(_do, work, task, files), chunk)] = chunk
                collect(at_most=workers)
        collect(at_most=0)
    return results


def _do(work: Path, task: Task, files: Files, chunk: Chunk) -> Result:
    result = task(work, chunk)
    made = {path.relative_to(work).as_posix(): described(path) for path in files(work, chunk)}
    write_json(_path(work, chunk), record_of(chunk, result, made))
    return result


def record_of(chunk: Chunk, result: Result, files: dict[str, Any]) -> dict[str, Any]:
    done = {"result": result, "files": files}
    return {"input": input_hash(chunk), **done, "sha256": _hash(done)}


def _record(work: Path, chunk: Chunk) -> dict[str, Any] | None:
    """The record of exactly this chunk in the work folder; a chunk that merely has the same name,
    because its input has been edited since, does not count."""
    path = _path(work, chunk)
    if not path.is_file():
        return None
    record: dict[str, Any] = _Record.check(read_json(path), where=path, fix=take_away(work))
    done = {"result": record["result"], "files": record["files"]}
    if record["sha256"] != _hash(done):
        what = "was altered: its result is not the one written"
        raise UserError(what, where=path, fix=take_away(work))
    return record if record["input"] == input_hash(chunk) else None


def _check_files(work: Path, record: dict[str, Any]) -> None:
    for name, expected in record["files"].items():
        verify(work / name, expected, fix=take_away(work))


class _Record(Shape):
    input: str
    result: dict[str, Any]
    files: dict[str, FileShape]
    sha256: str  # of the result and the files


def _hash(done: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(done).encode()).hexdigest()


def _path(work: Path, chunk: Chunk) -> Path:
    return work / FINISHED / f"{chunk.name}.json"


def input_hash(chunk: Chunk) -> str:
    return hashlib.sha256(repr(chunk.payload).encode()).hexdigest()
