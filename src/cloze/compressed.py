"""Read a file that may be compressed; a truncated file or a decompression bomb is an error."""

import contextlib
import io
import lzma
import math
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from cloze.errors import UserError
from cloze.files import MOST_BYTES

_CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}  # as pyarrow calls them; it has no .xz
ENDINGS = (*_CODECS, ".xz")
_STARTS = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"\xfd7zXZ\0": ".xz"}
_BLOCK = 1 << 20
# News shrinks to a third or a tenth. A file that is small when unpacked may have any ratio.
_MOST_RATIO = 200
_SMALL = 256 << 20
_MOST_XZ_MEMORY = 256 << 20  # xz -9, its largest, needs 65 MiB


def kind_of(path: Path) -> str:
    """The ending that says what is inside: `.jsonl` for `news.jsonl.zst`."""
    return (path.with_suffix("") if path.suffix in ENDINGS else path).suffix.lower()


class Section(NamedTuple):
    """Bytes [start, end) of a file in which compressed streams follow each other, or of a plain
    one: a range that can be read by itself."""

    start: int
    end: int
    unpacked: int  # how many bytes, when unpacked, are before it


@contextlib.contextmanager
def opened(path: Path, within: Section | None = None) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of the file, or of a section of it, as a stream."""
    try:
        with open(path, "rb") as file:
            codec = path.suffix if path.suffix in ENDINGS else _codec_within(file)
            source = file if within is None else io.BufferedReader(_Range(file, within), _BLOCK)
            before = (within.start, within.unpacked) if within else (0, 0)
            if codec in _CODECS:
                with _decompressor(source, codec) as stream:
                    yield io.BufferedReader(_Unpacked(stream, source, path, *before), _BLOCK)
            elif codec == ".xz":
                yield io.BufferedReader(_Unpacked(_Xz(source), source, path, *before), _BLOCK)
            else:
                yield source
    except FileNotFoundError:
        raise UserError("no such file", where=path) from None
    except IsADirectoryError:
        raise UserError("this is a folder, not a file", where=path) from None
    except (EOFError, lzma.LZMAError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:
            raise  # the system's complaint; pyarrow's own, about the content, have no number
        raise UserError(
            f"is truncated or damaged ({problem})", where=path, fix="copy the file again"
        ) from None


class LineRange(NamedTuple):
    """Whole lines of a file that is not compressed: its bytes [start, end)."""

    start: int
    end: int
    first: int  # how many lines are before them


def lines(path: Path, within: LineRange | None = None) -> Iterator[bytes]:
    """The lines of the file or of a part of it, without their ends, empty ones too.

    A line longer than MOST_BYTES is cut one byte after that limit, so that callers can notice.
    """
    with opened(path) as stream:
        left = math.inf
        if within is not None:
            stream.seek(within.start)
            left = within.end - within.start
        while left > 0 and (line := stream.readline(MOST_BYTES + 1)):
            left -= len(line)
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(_BLOCK)
                left -= len(rest)
            yield line.removesuffix(b"\n")


def line_ranges(path: Path, size: int) -> Iterator[LineRange]:
    """The file cut into ranges of whole lines with at least so many bytes, but for the last one;
    nothing of a compressed file, which can only be read from its start."""
    if is_compressed(path):
        return
    with open(path, "rb") as file:
        start = first = place = line = 0
        while block := file.read(_BLOCK):
            done = 0
            while (found := block.find(b"\n", max(done, start + size - 1 - place))) >= 0:
                line += block.count(b"\n", done, found + 1)
                done = found + 1
                yield LineRange(start, place + done, first)
                start, first = place + done, line
            line += block.count(b"\n", done)
            place += len(block)
        if place > start:
            yield LineRange(start, place, first)


def is_compressed(path: Path) -> bool:
    with open(path, "rb") as file:
        return path.suffix in ENDINGS or _codec_within(file) is not None


def check_ratio(unpacked: int, packed: int, path: Path) -> None:
    """Stop at a small file that unpacks to something huge."""
    if unpacked > _SMALL and unpacked > _MOST_RATIO * packed:
        raise UserError(
            f"unpacks to more than {_MOST_RATIO} times its size, which no news does",
            where=path,
            fix="unpack it first if it is what you want",
        )


def _decompressor(file: IO[bytes], codec: str) -> Any:
    """By pyarrow; a machine that only trains may have the much smaller zstandard instead."""
    try:
        import pyarrow as pa

        return pa.CompressedInputStream(file, _CODECS[codec])
    except ImportError:
        pass
    if codec == ".zst":
        with contextlib.suppress(ImportError):
            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    raise UserError(f"a {codec} file needs the package pyarrow", fix="pip install pyarrow")


def _codec_within(file: io.BufferedReader) -> str | None:
    """By how it begins: a `.tgz`, or a file that lost its ending."""
    start = file.peek(8)
    return next((codec for magic, codec in _STARTS.items() if start.startswith(magic)), None)


class _Xz(io.RawIOBase):
    """An .xz file unpacked within a limit of memory, which lzma.open does not take.

    How much memory it takes is up to the file: its dictionary may have up to 4 GiB.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = _xz_stream()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content:
            packed = b""
            if self._stream.eof:
                packed = self._next_stream()
                if not packed:
                    return 0
                self._stream = _xz_stream()
            elif self._stream.needs_input:
                packed = self._file.read(_BLOCK)
                if not packed:
                    raise EOFError("it ends before its end marker")
            content = self._stream.decompress(packed, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def _next_stream(self) -> bytes:
        """The start of what follows a stream and its padding; empty at the end of the file."""
        packed = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._file.read(_BLOCK)):
            packed = more.lstrip(b"\0")
        return packed


def _xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(format=lzma.FORMAT_AUTO, memlimit=_MOST_XZ_MEMORY)


class _Range(io.RawIOBase):
    """A section of a file as if it were all of it."""

    def __init__(self, file: IO[bytes], section: Section) -> None:
        self._file, self._left = file, section.end - section.start
        self._place = 0
        file.seek(section.start)

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        content = self._file.read(min(len(buffer), self._left - self._place))
        buffer[: len(content)] = content
        self._place += len(content)
        return len(content)


class _Unpacked(io.RawIOBase):
    """The output of a compressed stream, compared with the size of its input."""

    def __init__(
        self, stream: Any, packed: IO[bytes], path: Path, packed_before: int, before: int
    ) -> None:
        self._stream, self._packed, self._path = stream, packed, path
        self._packed_before, self._count = packed_before, before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._stream.readinto(buffer)
        self._count += count
        check_ratio(self._count, self._packed_before + self._packed.tell(), self._path)
        return count
