"""A folder beside the output in which a command works, so that it can be killed and taken up.

    .corpus.lock       held by the one run that may write here
    .corpus.building/  what was done so far, and the identity of the run: what it reads, its options
    .corpus.built      the output stands, and only the folder is left to be removed

Whoever holds the lock looks at what an earlier run left there. Work with another identity is
removed; work with the same one is taken up, or was finished already.
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
from cloze.files import PARTIAL, read_json, with_a_name, write_json

RESULT = "result"  # in the work folder: the file or folder that is to become the output
FINISHED = "chunks"  # in the work folder: what is done; the folder is kept for its sake
_IDENTITY = "identity.json"
_MOVING = "moving.json"
_OLD = "old"


@contextlib.contextmanager
def work_folder(out: Path, identity: dict[str, Any]) -> Iterator[Path]:
    """The folder to work in, which outlives a kill and is removed when the block ends well."""
    identity = json.loads(json.dumps(identity))  # as it will be read back
    work, built = _beside(out, "building"), _beside(out, "built")
    with _only_run(out):
        if built.is_file():
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            with contextlib.suppress(FileNotFoundError):  # its run has removed it this moment
                os.replace(built, work / _MOVING)
        if not _is_same(work, out, identity):
            _give_up(work, out)
            write_json(work / _IDENTITY, identity)
        _remove_partial(work)
        try:
            yield work
        except Exception:
            if not (work / FINISHED).is_dir():  # nothing done that would be worth keeping
                shutil.rmtree(work, ignore_errors=True)
            raise
        if (work / _MOVING).is_file():
            os.replace(work / _MOVING, built)
        shutil.rmtree(work)
    built.unlink(missing_ok=True)  # last of all: until then a kill leaves nobody in doubt


def was_finished(work: Path) -> bool:
    """Whether a run with this identity was killed when its result had become the output."""
    return (work / _MOVING).is_file() and not (work / RESULT).exists()


def check_free(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError("already exists", where=out, fix="choose another place or give --overwrite")


def move_out(work: Path, out: Path) -> None:
    """The last step: the result becomes `out`, and what stood there before goes."""
    _remove_partial(work)  # the workers of a killed run may have lived a little longer
    write_json(work / _MOVING, _moved(work / RESULT, read_json(work / _IDENTITY)))
    if out.exists():
        os.replace(out, work / _OLD)
    os.replace(work / RESULT, out)


def _moved(result: Path, identity: Any) -> dict[str, Any]:
    """What tells a result from any other that stands under its name later."""
    return {"identity": identity, "inode": result.stat().st_ino if result.exists() else None}


def _beside(out: Path, what: str) -> Path:
    out = with_a_name(out)
    return out.with_name(f".{out.name}.{what}")


@contextlib.contextmanager
def _only_run(out: Path) -> Iterator[None]:
    """One run at a time; a process that died holds nothing, whatever file it left."""
    path = _beside(out, "lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError("another run is writing here", where=out, fix="wait for it") from None
    try:
        yield
    finally:
        if os.name == "nt":  # no file is removed there that is held
            lock.release()
        try:
            with contextlib.suppress(PermissionError):  # there, when the next run has it already
                path.unlink()
        finally:
            lock.release()


def _is_same(work: Path, out: Path, identity: dict[str, Any]) -> bool:
    """Whether the work is that of a run with this identity; if it was finished, its output must
    be there still."""
    if was_finished(work):
        return bool(read_json(work / _MOVING) == _moved(out, identity))
    return (work / _IDENTITY).is_file() and read_json(work / _IDENTITY) == identity


def _give_up(work: Path, out: Path) -> None:
    """Remove the work of a run that nobody takes up; what it was about to replace comes back."""
    if (work / RESULT).exists() and (work / _OLD).exists() and not out.exists():
        os.replace(work / _OLD, out)
    if work.exists():
        shutil.rmtree(work)


def _remove_partial(work: Path) -> None:
    """Remove what a killed run was in the middle of writing."""
    for left in work.rglob(f".*{PARTIAL}"):
        left.unlink(missing_ok=True)
