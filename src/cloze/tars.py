"""The files of a tar, read strictly: anything but a whole tar from start to end is an error.

Python's tarfile takes a damaged header, once it has read one good one, for the end of the archive.
Here the end is what the format says it is: two blocks of zeros, and nothing but zeros after them.
"""

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from cloze.compressed import is_compressed, opened
from cloze.errors import UserError
from cloze.files import MOST_BYTES, Unreadable

_BLOCK = tarfile.BLOCKSIZE
_NOTHING = bytes(_BLOCK)
_STEP = 1 << 20
_MOST_ABOUT = 1 << 20  # the most that a header about the next member may hold
_RECORD = re.compile(rb"([0-9]{1,7}) ([^=]+)=")  # "30 path=…", the length first


class TarRange(NamedTuple):
    """Whole members of a tar that is not compressed: its bytes [start, end), or to its end."""

    start: int
    end: int | None
    for_all: dict[str, str]  # what headers before them say about all members


def files_in(
    path: Path, ending: str, within: TarRange | None = None
) -> Iterator[tuple[str, bytes | Unreadable]]:
    """The name and the content of every file with this ending, in the order of the archive."""
    with opened(path) as stream:
        if within is None:
            yield from _Reader(stream, path, {}).files(ending)
        else:
            stream.seek(within.start)
            yield from _Reader(stream, path, within.for_all).files(ending, within.end)


def tar_ranges(path: Path, size: int) -> Iterator[TarRange]:
    """The tar cut into ranges of at least so many bytes, but for the last one; nothing of a
    compressed tar, which can only be read from its start."""
    if is_compressed(path):
        return
    with opened(path) as stream:
        reader = _Reader(stream, path, {})
        start, for_all = 0, dict(reader.for_all)
        for _ in reader.files(""):
            if stream.tell() - start >= size:
                yield TarRange(start, stream.tell(), for_all)
                start, for_all = stream.tell(), dict(reader.for_all)
        yield TarRange(start, None, for_all)


class _Reader:
    def __init__(self, stream: IO[bytes], path: Path, for_all: dict[str, str]) -> None:
        self._stream = stream
        self._path = path
        self.for_all = dict(for_all)

    def files(
        self, ending: str, end: int | None = None
    ) -> Iterator[tuple[str, bytes | Unreadable]]:
        about: dict[str, str] = {}  # what extra headers say about the next member
        while end is None or self._stream.tell() < end:
            block = self._exactly(_BLOCK)
            if block == _NOTHING:
                break
            member = self._header(block)
            if member.type == tarfile.GNUTYPE_LONGNAME:
                about["path"] = _text(self._more(member).partition(b"\0")[0])
            elif member.type == tarfile.GNUTYPE_LONGLINK:
                self._more(member)
            elif member.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
                about |= self._records(self._more(member))
            elif member.type == tarfile.XGLTYPE:
                self.for_all |= self._records(self._more(member))
            else:
                name, size, is_file = self._described(member, self.for_all | about)
                about = {}
                wanted = name.endswith(ending) and not member.isdir()
                if wanted and is_file and size <= MOST_BYTES:
                    yield name, self._data(size)
                    continue
                self._step_over(size)
                if wanted:
                    yield name, Unreadable.TOO_BIG if is_file else Unreadable.NO_FILE
        if about:
            self._refuse("the last member is missing")
        if end is None:
            self._check_end()

    def _header(self, block: bytes) -> tarfile.TarInfo:
        try:
            member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as problem:
            self._refuse(str(problem))
        if member.size < 0:
            self._refuse("invalid header")
        if member.type == tarfile.GNUTYPE_SPARSE:
            self._refuse("it holds a sparse file")
        return member

    def _described(self, member: tarfile.TarInfo, known: dict[str, str]) -> tuple[str, int, bool]:
        """The member's name, the bytes that follow its header, and whether they are a file."""
        size = known.get("size", "")
        if size and not size.isdecimal():
            self._refuse("invalid header")
        no_data = member.type in tarfile.SUPPORTED_TYPES and not member.isreg()
        sparse = any(key.startswith("GNU.sparse") for key in known)
        return (
            known.get("path", member.name),
            0 if no_data else int(size or member.size),
            member.isreg() and not sparse,
        )

    def _more(self, member: tarfile.TarInfo) -> bytes:
        if member.size > _MOST_ABOUT:
            self._refuse("invalid header")
        return self._data(member.size)

    def _records(self, content: bytes) -> dict[str, str]:
        found: dict[str, str] = {}
        place = 0
        while place < len(content):
            record = _RECORD.match(content, place)
            end = place + int(record[1]) if record else 0
            if not record or end <= record.end() or content[end - 1 : end] != b"\n":
                self._refuse("invalid header")
            found[_text(record[2])] = _text(content[record.end() : end - 1])
            place = end
        return found

    def _data(self, size: int) -> bytes:
        """A member's bytes, which fill whole blocks."""
        return self._exactly(size + -size % _BLOCK)[:size]

    def _step_over(self, size: int) -> None:
        left = size + -size % _BLOCK
        while left:
            left -= len(self._exactly(min(left, _STEP)))

    def _exactly(self, size: int) -> bytes:
        content = self._stream.read(size)
        if len(content) < size:
            self._refuse("truncated")
        return content

    def _check_end(self) -> None:
        if self._exactly(_BLOCK) != _NOTHING:
            self._refuse("no end")
        while rest := self._stream.read(_STEP):
            if rest.strip(b"\0"):
                self._refuse("something follows its end")

    def _refuse(self, why: str) -> NoReturn:
        raise UserError(f"is not a whole tar ({why})", where=self._path, fix="copy the file again")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
