"""Where a WARC can be cut: between records, each of which is by itself, plain or as a gzip member.

A file in which anything is not as the standard wants it is not cut: whoever reads it from its start
sees what is wrong, if it is wrong at all.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cloze.compressed import Section, check_ratio

_HEAD = 1 << 16  # the longest head of a record; those of crawlers have a few hundred bytes
_BLOCK = 1 << 18
_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*([0-9]{1,15})[ \t]*(?=\r\n)", re.I)
_BETWEEN = b"\r\n\r\n"


class _NotStandard(Exception):
    """No place to cut is certain to be one."""


def warc_ranges(path: Path, size: int) -> list[Section]:
    """The file in ranges of whole records with at least so many bytes, but for the last one; none
    if it cannot be cut."""
    ranges = []
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        if packed is not (path.suffix == ".gz"):
            return []  # another compression, or a name that is not right
        file.seek(0)
        start = before = unpacked = 0
        try:
            for end, length in _members(file, path) if packed else _records(file):
                unpacked += length
                if end - start >= size:
                    ranges.append(Section(start, end, before))
                    start, before = end, unpacked
        except _NotStandard:
            return []
        if file.seek(0, 2) > start:
            ranges.append(Section(start, file.tell(), before))
    return ranges


def _records(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Where each record of a plain file ends, and how long it is."""
    start, size = 0, file.seek(0, 2)
    while start < size:
        file.seek(start)
        length = _length(file.read(_HEAD))
        file.seek(start + length - len(_BETWEEN))
        if file.read(len(_BETWEEN)) != _BETWEEN:
            raise _NotStandard
        start += length
        yield start, length


def _members(file: IO[bytes], path: Path) -> Iterator[tuple[int, int]]:
    """Where each gzip member ends, and how long it is when unpacked: exactly one record."""
    end = unpacked = 0
    content = file.read(_BLOCK)
    while content:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS + 16)
        head, tail, length = b"", b"", 0
        while not unpacking.eof:
            try:
                got = unpacking.decompress(content, _BLOCK)
            except zlib.error:
                raise _NotStandard from None
            taken = len(content) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
            end, content = end + taken, content[taken:]
            length += len(got)
            head, tail = head + got[: _HEAD - len(head)], (tail + got)[-len(_BETWEEN) :]
            check_ratio(unpacked + length, end, path)
            if not unpacking.eof and not content and not (content := file.read(_BLOCK)) and not got:
                raise _NotStandard  # it ends in the middle
        if tail != _BETWEEN or _length(head) != length:
            raise _NotStandard
        unpacked += length
        yield end, length
        content = content or file.read(_BLOCK)


def _length(start: bytes) -> int:
    """How long a record is, with what follows it, by its head."""
    head, end, _ = start.partition(_BETWEEN)
    lengths = _LENGTH.findall(head + b"\r\n")
    if not (head.startswith(b"WARC/1.") and end and len(lengths) == 1):
        raise _NotStandard
    return len(head) + len(end) + int(lengths[0]) + len(_BETWEEN)
