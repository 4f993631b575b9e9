"""Where stories come from. `read_stories` looks at a path and yields its stories.

news.jsonl  news.csv  news.parquet   tables (also .gz, .zst, .xz): see `records.Columns`
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze.corpus.sources.compressed import kind_of, lines
from cloze.corpus.sources.records import Columns, Reject
from cloze.corpus.story import Story
from cloze.errors import UserError
from cloze.files import sha256

__all__ = ["Columns", "Reject", "count_all", "fingerprint", "read_stories"]

_JSON_LINES = (".jsonl", ".json", ".ndjson")


def read_stories(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every story of the source in a fixed order, and a reject for whatever is none."""
    if not path.exists():
        raise UserError("no such file or folder", where=path)
    kind = kind_of(path)
    if kind in _JSON_LINES:
        from cloze.corpus.sources.jsonl import read_jsonl

        return read_jsonl(path, columns)
    raise UserError("what kind of stories are these?", where=path)


def count_all(paths: Sequence[Path]) -> int | None:
    """How many stories there are, for a progress bar, where that is quick to tell."""
    if not sys.stderr.isatty():
        return None
    counts = [_count(path) for path in paths]
    return None if None in counts else sum(count or 0 for count in counts)


def _count(path: Path) -> int | None:
    if kind_of(path) in _JSON_LINES:
        return sum(1 for line in lines(path) if line.strip())
    return None


def fingerprint(path: Path) -> dict[str, Any]:
    """What identifies the content of a source: its bytes, or the names and sizes in a folder."""
    if not path.is_dir():
        return {"name": path.name, "sha256": sha256(path)}
    listing = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            status = file.stat()
            line = f"{file.relative_to(path)}\t{status.st_size}\t{status.st_mtime_ns}\n"
            listing.update(line.encode(errors="surrogateescape"))
    return {"name": path.name, "listing": listing.hexdigest()}
