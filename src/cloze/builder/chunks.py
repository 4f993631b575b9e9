"""Work in chunks, over several processes, that can be killed at any moment and continued later.

A chunk's files and then its record (a small JSON) are written whole into a work folder. The record
holds the result and a hash of what the chunk was made from; unless that still matches, the chunk is
done again. Chunks depend only on the input, so the outcome depends neither on the number of
processes nor on how often the work was interrupted.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from cloze.builder.work_folder import FINISHED
from cloze.engines.processes import pool, told
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
                results[chunk.name] = record["result"]
                shown.advance(line, chunk.size)
            else:
                pending[submit(partial(_do, work, task), chunk)] = chunk
                collect(at_most=workers)
        collect(at_most=0)
    return results


def _do(work: Path, task: Task, chunk: Chunk) -> Result:
    result = task(work, chunk)
    about = {"input": input_hash(chunk), "result": result, "sha256": result_hash(result)}
    write_json(_path(work, chunk), about)
    return result


def _record(work: Path, chunk: Chunk) -> dict[str, Any] | None:
    """The record of exactly this chunk in the work folder; a chunk that merely has the same name,
    because its input has been edited since, does not count."""
    path = _path(work, chunk)
    if not path.is_file():
        return None
    fix = "remove the folder that it is in"
    record: dict[str, Any] = _Record.check(read_json(path), where=path, fix=fix)
    if record["sha256"] != result_hash(record["result"]):
        raise UserError("was altered: its result is not the one written", where=path, fix=fix)
    return record if record["input"] == input_hash(chunk) else None


class _Record(Shape):
    input: str
    result: dict[str, Any]
    sha256: str  # of the result


def result_hash(result: Result) -> str:
    return hashlib.sha256(json.dumps(result).encode()).hexdigest()


def _path(work: Path, chunk: Chunk) -> Path:
    return work / FINISHED / f"{chunk.name}.json"


def input_hash(chunk: Chunk) -> str:
    return hashlib.sha256(repr(chunk.payload).encode()).hexdigest()
