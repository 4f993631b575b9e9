"""What identifies the content of a source: a build from other content is another build."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from cloze.builder.sources import folders
from cloze.errors import UserError
from cloze.files import Unreadable, content_of, sha256


@dataclass(frozen=True, slots=True)
class Fingerprint:
    path: Path
    told: dict[str, Any]  # for the manifest of a corpus: a file's hash, a folder's listing
    content: str  # the hash of everything in it
    moment: str  # changes with every change on the disk; nothing has to be read

    @classmethod
    def of(cls, path: Path) -> Self:
        if not path.exists():
            raise UserError("no such file or folder", where=path)
        moment = _moment(path)
        if path.is_dir():
            told = {"name": path.name, "listing": _listing(path)}
            return cls(path, told, _content(path), moment)
        content = sha256(path)
        return cls(path, {"name": path.name, "sha256": content}, content, moment)

    @staticmethod
    def exact_moment(path: Path) -> str:
        """A moment that also changes if a file is edited and its time set back."""
        return _moment(path, "st_ctime_ns")

    def check(self) -> None:
        """Stop if something has changed since."""
        if not self.path.exists() or _moment(self.path) != self.moment:
            raise UserError(
                "was changed while it was being read",
                where=self.path,
                fix="run the same command again",
            )


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


def _listing(folder: Path) -> str:
    hashed = hashlib.sha256()
    for file in _files(folder):
        hashed.update(_line(file.relative_to(folder), file.stat().st_size))
    return hashed.hexdigest()


def _content(folder: Path) -> str:
    """The fingerprint of all files that stories are read from, readable or not."""
    hashed = hashlib.sha256()
    for file in folders.files(folder):
        content = content_of(file)
        told = content if isinstance(content, Unreadable) else hashlib.sha256(content).hexdigest()
        hashed.update(_line(file.relative_to(folder), told))
    return hashed.hexdigest()


def _moment(path: Path, *also: str) -> str:
    hashed = hashlib.sha256()
    for file in _files(path) if path.is_dir() else [path]:
        stat = file.stat()
        hashed.update(
            _line(
                file,
                stat.st_ino,
                stat.st_size,
                stat.st_mtime_ns,
                *(getattr(stat, each) for each in also),
            )
        )
    return hashed.hexdigest()


def _line(*parts: object) -> bytes:
    return ("\t".join(map(str, parts)) + "\n").encode(errors="surrogateescape")
