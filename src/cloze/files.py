"""Files that are either whole or not there: temporary name, fsync, rename."""

import contextlib
import ctypes
import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from cloze.errors import UserError

MOST_BYTES = 64 << 20  # of one record: a line, a member of an archive, a file in a folder
PARTIAL = ".partial"  # the ending of a name that is not finished yet
LOCK = ".lock"  # in a folder that one process at a time may write to
_UMASK = os.umask(0o077)  # the umask can be read only by setting it
os.umask(_UMASK)


@contextlib.contextmanager
def whole_file(path: Path, *, below: Path | None = None) -> Iterator[Path]:
    """Give a temporary path beside `path`; when the block ends well it becomes `path`.

    When the block fails, for instance because the disk is full, the temporary file is removed and
    what stood at `path` before is untouched. Folders that are missing are made, but if `below` is
    given, only those below it: it is never made anew, even if it is removed at this very moment.
    """
    path = with_a_name(path)
    temporary = _beside(path, PARTIAL)
    try:
        if path.is_dir():
            raise UserError("is a folder", where=path, fix="give the name of a file")
        _make_folder(path.parent, below)
        yield temporary
        _readable_as_usual(temporary)
        _flush_to_disk(temporary)
        _name(temporary, path)
    except BaseException as problem:
        with contextlib.suppress(OSError):  # there may be no folder that could hold it
            temporary.unlink()
        raise explain(problem, path) from problem


@contextlib.contextmanager
def whole_directory(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """The same for a directory: it appears under its name only when everything is in it."""
    path = with_a_name(path)
    temporary = _beside(path, PARTIAL)
    try:
        if not overwrite and _is_taken(path):
            raise _taken(path)
        temporary.mkdir(parents=True)
        yield temporary
        for file in sorted(temporary.rglob("*")):
            _readable_as_usual(file)
            _flush_to_disk(file)
        if overwrite and path.exists():
            _take_the_place(temporary, path)
            _flush_to_disk(path.parent)
        else:
            if os.name == "nt" and path.is_dir():
                path.rmdir()  # elsewhere an empty folder may be replaced
            _name(temporary, path)
    except BaseException as problem:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(problem, OSError) and problem.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise _taken(path) from problem  # by another process, while this one was at work
        raise explain(problem, path) from problem


def _make_folder(folder: Path, below: Path | None) -> None:
    if below is None:
        folder.mkdir(parents=True, exist_ok=True)
    elif folder != below:
        _make_folder(folder.parent, below)
        folder.mkdir(exist_ok=True)


def _name(temporary: Path, path: Path) -> None:
    """Give a file or folder its name for good. If the disk cannot promise that, a new one does not
    keep it: the command has failed, and can be run again."""
    is_new = not path.exists() or path.is_dir()  # only an empty folder gives way
    os.replace(temporary, path)
    try:
        _flush_to_disk(path.parent)
    except FileNotFoundError:  # its folder was removed, and the file with it
        raise
    except BaseException:
        if is_new:
            _take_back(path, temporary)
        raise


def _take_back(path: Path, temporary: Path) -> None:
    try:
        os.replace(path, temporary)  # whoever calls removes it there, out of sight
    except OSError:  # no room even for that
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_taken(path: Path) -> bool:
    return path.exists() and (not path.is_dir() or any(path.iterdir()))


def _taken(path: Path) -> UserError:
    fix = "choose another place or give --overwrite"
    return UserError("already exists", where=path, fix=fix)


def _take_the_place(new: Path, path: Path) -> None:
    """Put a folder in the place of what stands there, which is then removed."""
    old = new
    if not _exchange(new, path):
        old = _beside(path, ".old")
        os.replace(path, old)
        try:
            os.replace(new, path)
        except BaseException:
            os.replace(old, path)
            raise
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink()


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step where the system can: at no moment is either of them missing."""
    swap = None if os.name == "nt" else getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE, as Linux has them
    return swap is not None and swap(here, bytes(one), here, bytes(other), exchange) == 0


def check_apart(out: Path, *inputs: Path | None) -> None:
    """Stop if writing `out` would destroy the input or mix with it.

    A command that puts several things into a folder calls this for each of them: the folder itself
    may well hold the input.
    """
    place = Path(out).resolve()
    for given in inputs:
        read = None if given is None else Path(given).resolve()
        if read is None or not (place.is_relative_to(read) or read.is_relative_to(place)):
            continue
        how = "is" if place == read else "lies in" if place.is_relative_to(read) else "holds"
        raise UserError(f"{how} the input, {given}", where=out, fix="choose another place")


@contextlib.contextmanager
def one_writer(folder: Path, *, fix: str) -> Iterator[None]:
    """Hold a folder, made if need be, for this process alone; a second one is refused at once.

    The system releases the lock when the process ends, however it ends: the file that stays behind
    means nothing.
    """
    lock = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock, timeout=0).acquire()
    except Timeout:
        raise UserError("another run is writing here", where=folder, fix=fix) from None
    except OSError as problem:
        raise explain(problem, folder) from problem
    with held:
        yield


def explain(problem: BaseException, path: Path) -> BaseException:
    """Turn what the operating system says about writing `path` into a line for the user."""
    if isinstance(problem, PermissionError):
        return UserError("no permission to write here", where=path, fix="choose another place")
    if isinstance(problem, OSError) and problem.errno in _REFUSALS:
        what, fix = _REFUSALS[problem.errno]
        return UserError(what, where=path, fix=fix)
    return problem


_FULL = ("the disk is full; nothing half-written was left", "free some space")
_ELSEWHERE = "choose another place"
_REFUSALS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ENOTDIR: ("lies below something that is not a folder", _ELSEWHERE),
    errno.EEXIST: ("something that is not a folder is in the way", _ELSEWHERE),
    errno.EISDIR: ("is a folder", "give the name of a file"),
    errno.EROFS: ("cannot be written to: it is read-only", _ELSEWHERE),
}


def with_a_name(path: Path) -> Path:
    """The same path, ending in a name (not in `..`), so that a sibling can be made for it."""
    path = Path(path)
    return path if path.name not in ("", "..") else path.resolve()


def _beside(path: Path, ending: str) -> Path:
    """A hidden name in the same folder that no other process uses or has used."""
    short = os.fsencode(path.name)[:180].decode(errors="ignore")
    return path.with_name(f".{short}.{os.getpid()}-{secrets.token_hex(4)}{ending}")


def write_text(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is not text
    except (ValueError, RecursionError) as problem:
        raise UserError(f"is not valid JSON ({problem})", where=path) from None
    return value


def read_text(path: Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError("no such file", where=path) from None
    except OSError as problem:
        raise UserError(f"cannot be read ({problem.strerror})", where=path) from None
    except UnicodeDecodeError as problem:
        raise UserError(f"is not UTF-8 text ({problem})", where=path) from None


class Unreadable(StrEnum):
    """Why one file among many cannot be used."""

    NO_FILE = "not a file that can be read"
    TOO_BIG = "over 64 MiB"


def content_of(path: Path) -> bytes | Unreadable:
    """The content of a file that somebody put into a folder: it may be a folder, a pipe, a link
    to nowhere, or larger than anything we would hold in memory."""
    if not path.is_file():
        return Unreadable.NO_FILE
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError:
        return Unreadable.NO_FILE
    return content if len(content) <= MOST_BYTES else Unreadable.TOO_BIG


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def described(path: Path) -> dict[str, Any]:
    """What a manifest says about a file, for `verify` to check."""
    return {"bytes": path.stat().st_size, "sha256": sha256(path)}


def verify(path: Path, expected: Mapping[str, Any], *, fix: str) -> None:
    """Stop unless the file is the one that a manifest described.

    If the manifest does not give the size, only the hash is checked.
    """
    if not path.is_file():
        raise UserError("is missing", where=path, fix=fix)
    size, wanted = path.stat().st_size, expected.get("bytes")
    if wanted is not None and size != wanted:
        what = "truncated" if size < wanted else "altered"
        raise UserError(
            f"has {size:,} bytes, its manifest says {wanted:,} ({what})", where=path, fix=fix
        )
    if sha256(path) != expected.get("sha256"):
        what = "was altered" if wanted is not None else "is truncated or was altered"
        raise UserError(f"{what}: its sha256 is not the manifest's", where=path, fix=fix)


def _readable_as_usual(path: Path) -> None:
    """safetensors writes files that nobody else may read; a model is for sharing."""
    if path.is_file():
        path.chmod(0o666 & ~_UMASK)


def _flush_to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders; it writes their entries to disk by itself
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
