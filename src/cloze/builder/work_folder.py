"""A folder beside the output for unfinished work, so that a command can be killed and continued.

    .corpus.lock       held by the one run that may write here
    .corpus.building/  what is done so far, and the identity of the run: its input and options
    .corpus.built      the output is complete, and only the folder remains to be removed

The run that holds the lock looks at what an earlier run left there. Work with another identity is
removed; work with the same one is continued, or was finished already.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from cloze.errors import UserError
from cloze.files import PARTIAL, explain, read_json, with_a_name, write_json

RESULT = "result"  # in the work folder: the file or folder that is to become the output
FINISHED = "chunks"  # in the work folder: finished parts, for which the folder is kept
_IDENTITY = "identity.json"
_MOVING = "moving.json"
_OLD = "old"


@contextlib.contextmanager
def work_folder(out: Path, identity: dict[str, Any]) -> Iterator[Path]:
    """The folder to work in, which survives a kill and is removed when the block succeeds."""
    identity = json.loads(json.dumps(identity))  # as it will be read back
    work, built = _beside(out, "building"), _beside(out, "built")
    with _only_run(out):
        if built.is_file():
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            with contextlib.suppress(FileNotFoundError):  # its run has just removed it
                os.replace(built, work / _MOVING)
        if not _is_same(work, out, identity):
            _give_up(work, out)
            write_json(work / _IDENTITY, identity)
        _remove_partial(work)
        try:
            yield work
        except Exception:
            if not (work / FINISHED).is_dir():  # nothing worth keeping was done
                shutil.rmtree(work, ignore_errors=True)
            raise
        if (work / _MOVING).is_file():
            os.replace(work / _MOVING, built)
        shutil.rmtree(work)
    built.unlink(missing_ok=True)  # last of all, so that a kill before this leaves no doubt


def was_finished(work: Path) -> bool:
    """Whether a run with this identity was killed after its result had become the output."""
    return (work / _MOVING).is_file() and not (work / RESULT).exists()


def check_free(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError("already exists", where=out, fix="choose another place or give --overwrite")


def take_away(work: Path) -> str:
    """How to mend work that was damaged: it is made anew."""
    return f"remove {work} and run the command again"


def move_out(work: Path, out: Path) -> None:
    """The last step: the result becomes `out` and replaces what was there before."""
    _remove_partial(work)  # workers may outlive their killed run for a moment
    write_json(work / _MOVING, _moved(work / RESULT, read_json(work / _IDENTITY)))
    if out.exists():
        os.replace(out, work / _OLD)
    os.replace(work / RESULT, out)


def _moved(result: Path, identity: Any) -> dict[str, Any]:
    """What distinguishes a result from a later one of the same name."""
    return {"identity": identity, "inode": result.stat().st_ino if result.exists() else None}


def _beside(out: Path, what: str) -> Path:
    out = with_a_name(out)
    return out.with_name(f".{out.name}.{what}")


@contextlib.contextmanager
def _only_run(out: Path) -> Iterator[None]:
    """One run at a time; a process that died holds no lock, even if its lock file is left."""
    path = _beside(out, "lock")
    lock = FileLock(path, timeout=0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError("another run is writing here", where=out, fix="wait for it") from None
    except OSError as problem:
        raise explain(problem, out) from problem
    try:
        yield
    finally:
        if os.name == "nt":  # Windows does not remove a file that is held
            lock.release()
        try:
            with contextlib.suppress(PermissionError):  # on Windows, if the next run has it already
                path.unlink()
        finally:
            lock.release()


def _is_same(work: Path, out: Path, identity: dict[str, Any]) -> bool:
    """Whether the work belongs to a run with this identity; if that run finished, its output must
    still be there."""
    if was_finished(work):
        return bool(read_json(work / _MOVING) == _moved(out, identity))
    return (work / _IDENTITY).is_file() and read_json(work / _IDENTITY) == identity


def _give_up(work: Path, out: Path) -> None:
    """Remove the work of an abandoned run, and put back what it was about to replace."""
    if (work / RESULT).exists() and (work / _OLD).exists() and not out.exists():
        os.replace(work / _OLD, out)
    if work.exists():
        shutil.rmtree(work)


def _remove_partial(work: Path) -> None:
    """Remove files that a killed run was in the middle of writing."""
    for left in work.rglob(f".*{PARTIAL}"):
        left.unlink(missing_ok=True)
