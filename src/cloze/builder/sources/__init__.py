"""Where stories come from. `read_stories` looks at a path and yields its stories.

A source is a module with WHAT it reads, the ENDINGS of its files, `read` and `count`; a kind of
file that comes in folders has `parse` instead (`folders.py`). One that can begin in the middle of a
file has `cut` and `read_part` too, and is listed in CUTTABLE. A source may also give web pages, out
of which `cloze.builder.pages` reads the stories, as `Reading` says. `Columns` says what the columns
of tables are called. Tars, JSON lines, CSV and WARCs may be compressed (.gz, .zst, .xz).
"""

from collections import deque
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from cloze.builder.pages.children import stories_from
from cloze.builder.pages.page import Page, Reading
from cloze.builder.sources import (
    csv_files,
    folders,
    html_pages,
    jsonl,
    parquet_files,
    story_tars,
    warc_files,
)
from cloze.builder.sources.records import Columns
from cloze.compressed import kind_of
from cloze.errors import UserError
from cloze.progress import watched
from cloze.stories import Reject, Story

__all__ = [
    "Columns",
    "Part",
    "Reading",
    "count_all",
    "described",
    "holds_pages",
    "parts_of",
    "read_part",
    "read_stories",
]

Part = dict[str, Any]  # where a part of a source begins and ends; empty: the whole source


class Source(Protocol):
    """What a module needs to be a source."""

    @property
    def WHAT(self) -> str: ...
    @property
    def ENDINGS(self) -> tuple[str, ...]: ...
    def read(self, path: Path, columns: Columns, /) -> Iterator[Story | Reject | Page]:
        """Every story or page in a fixed order, and a reject for anything else."""

    def count(self, path: Path, /) -> int | None:
        """How many stories there are, if that is quick to find out."""


class Cuttable(Source, Protocol):
    """What else a module needs for several processes to read one of its files."""

    def cut(self, path: Path, size: int, /) -> Iterator[Part]:
        """Parts of about so many bytes, in order; at least one."""

    def read_part(
        self, path: Path, columns: Columns, part: Part, wanted: Container[int] | None, /
    ) -> Iterator[tuple[int, Story | Reject | Page]]:
        """What is in a part, or only what is wanted of it, each with its number there."""


SOURCES: tuple[Source, ...] = (story_tars, jsonl, csv_files, parquet_files, warc_files)
CUTTABLE: tuple[Cuttable, ...] = (story_tars, jsonl, parquet_files, warc_files)
_CUTTABLE_OF = {ending: source for source in CUTTABLE for ending in source.ENDINGS}
_BYTES_A_FILE = 1 << 14  # how large a file of a folder is thought to be when the folder is cut
_SOURCE_OF = {ending: source for source in SOURCES for ending in source.ENDINGS}


def described() -> str:
    """The sources for people: "JSON lines (.jsonl, .ndjson), …"."""
    first, *others = folders.KINDS
    told: tuple[Source | folders.Kind, ...] = (first, *SOURCES, *others)
    return ", ".join(f"{source.WHAT} ({', '.join(source.ENDINGS)})" for source in told)


def read_stories(
    path: Path, columns: Columns, pages: Reading = Reading()
) -> Iterator[Story | Reject]:
    """Every story of the source in a fixed order, and a reject for anything else."""
    source = _source_of(path)
    if source is None:
        return stories_from(folders.read(path, frozenset(_SOURCE_OF)), pages)
    return stories_from(source.read(path, columns), pages)


def parts_of(path: Path, size: int) -> Iterator[Part]:
    """The source in parts of about so many bytes, each of which can be read by itself."""
    source = _source_of(path)
    if source is None:
        return folders.cut(path, max(size // _BYTES_A_FILE, 1))
    cuttable = _CUTTABLE_OF.get(kind_of(path))
    return iter([{}]) if cuttable is None else cuttable.cut(path, size)


def read_part(
    path: Path,
    columns: Columns,
    part: Part,
    wanted: Container[int] | None = None,
    pages: Reading = Reading(),
) -> Iterator[tuple[int, Story | Reject]]:
    """The stories and rejects of a part, or only the wanted ones, each with its number in it."""
    numbers: deque[int] = deque()

    def noted() -> Iterator[Story | Reject | Page]:
        for number, found in _numbered(path, columns, part, wanted):
            numbers.append(number)
            yield found

    for story in stories_from(noted(), pages):
        yield numbers.popleft(), story


def _numbered(
    path: Path, columns: Columns, part: Part, wanted: Container[int] | None
) -> Iterator[tuple[int, Story | Reject | Page]]:
    source = _source_of(path)
    if source is None:
        return folders.read_part(path, frozenset(_SOURCE_OF), part, wanted)
    cuttable = _CUTTABLE_OF.get(kind_of(path))
    if cuttable is not None:
        return cuttable.read_part(path, columns, part, wanted)
    numbered = enumerate(source.read(path, columns))
    return ((number, found) for number, found in numbered if wanted is None or number in wanted)


def holds_pages(path: Path) -> bool:
    """Whether a source is made of web pages."""
    if path.is_dir():
        return any(each.suffix.lower() in html_pages.ENDINGS for each in folders.files(path))
    return kind_of(path) in warc_files.ENDINGS


def count_all(paths: Sequence[Path]) -> int | None:
    """How many stories there are, for a progress bar, if that is quick to find out."""
    if not watched():
        return None
    total = 0
    for path in paths:
        source = _source_of(path)
        count = folders.count(path) if source is None else source.count(path)
        if count is None:
            return None
        total += count
    return total


def _source_of(path: Path) -> Source | None:
    """The source that reads a file; none for a folder of stories."""
    if not path.exists():
        raise UserError("no such file or folder", where=path)
    source = None if path.is_dir() else _SOURCE_OF.get(kind_of(path))
    if source is None and not (path.is_dir() and folders.holds_stories(path)):
        raise UserError("holds no stories that can be read", where=path, fix=f"give {described()}")
    return source
