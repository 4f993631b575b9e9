"""Read a file that may be compressed (gz, zst, xz); a truncated one is an error, not an end."""

import contextlib
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import zstandard

from cloze.errors import UserError

ENDINGS = (".gz", ".zst", ".xz")
_BLOCK = 1 << 20


def kind_of(path: Path) -> str:
    """The ending that says what is inside: `.jsonl` for `news.jsonl.zst`."""
    return (path.with_suffix("") if path.suffix in ENDINGS else path).suffix.lower()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's uncompressed bytes as a stream."""
    try:
        with open(path, "rb") as file:
            if path.suffix == ".gz":
                with gzip.open(file) as stream:
                    yield stream  # type: ignore[misc]
            elif path.suffix == ".xz":
                with lzma.open(file) as stream:
                    yield stream
            elif path.suffix == ".zst":
                with _Zstandard(file) as stream:
                    yield stream  # type: ignore[misc]
            else:
                yield file
    except FileNotFoundError:
        raise UserError("no such file", where=path) from None
    except IsADirectoryError:
        raise UserError("this is a folder, not a file", where=path) from None
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as problem:
        raise UserError(
            f"is truncated or damaged ({problem})", where=path, fix="copy the file again"
        ) from None


def lines(path: Path) -> Iterator[bytes]:
    """The lines of the file, without their ends, empty ones too."""
    with opened(path) as stream:
        rest = b""
        while block := stream.read(_BLOCK):
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        if rest:
            yield rest


class _Zstandard:
    """Zstandard frames one after another, and an error where the last one breaks off.

    (The library's own reader takes the end of the file in the middle of a frame for the end.)
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._started = False
        self._left = b""

    def __enter__(self) -> "_Zstandard":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, size: int = -1) -> bytes:
        """At least `size` bytes, or all that is left."""
        pieces = [self._left]
        have = len(self._left)
        self._left = b""
        while (size < 0 or have < size) and (piece := self._next()) is not None:
            pieces.append(piece)
            have += len(piece)
        whole = b"".join(pieces)
        if size < 0 or len(whole) <= size:
            return whole
        self._left = whole[size:]
        return whole[:size]

    def _next(self) -> bytes | None:
        if self._frame.eof:
            block = self._frame.unused_data or self._file.read(1 << 17)
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._started = False
        else:
            block = self._file.read(1 << 17)
        if not block:
            if self._started:
                raise EOFError("the compressed data ends too early")
            return None
        self._started = True
        return self._frame.decompress(block)
