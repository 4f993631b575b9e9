"""Read a file that may be compressed (gz, zst, xz); a truncated one is an error, not an end."""

import contextlib
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cloze.errors import UserError

_CODECS = {".gz": "gzip", ".zst": "zstd"}  # as pyarrow calls them, which has none for .xz
ENDINGS = (*_CODECS, ".xz")
_BLOCK = 1 << 20


def kind_of(path: Path) -> str:
    """The ending that says what is inside: `.jsonl` for `news.jsonl.zst`."""
    return (path.with_suffix("") if path.suffix in ENDINGS else path).suffix.lower()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's uncompressed bytes as a stream."""
    try:
        with open(path, "rb") as file:
            if path.suffix in _CODECS:
                import pyarrow as pa

                with pa.CompressedInputStream(file, _CODECS[path.suffix]) as stream:
                    yield stream
            elif path.suffix == ".xz":
                with lzma.open(file) as stream:
                    yield stream
            else:
                yield file
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


def lines(path: Path) -> Iterator[bytes]:
    """The lines of the file, without their ends, empty ones too."""
    with opened(path) as stream:
        rest = b""
        while block := stream.read(_BLOCK):
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        if rest:
            yield rest
