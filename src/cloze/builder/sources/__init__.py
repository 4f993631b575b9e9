"""Where stories come from. `read_stories` looks at a path and yields its stories.

    stories/                             a folder of .story files, or of saved .html pages
    stories.tar  stories.tgz             .story files in a tar
    news.jsonl  news.csv  news.parquet   tables; what their columns are called: `Columns`

Tars, JSON lines and CSV may be compressed (.gz, .zst, .xz).
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze.builder.sources.html_pages import ENDINGS as PAGES
from cloze.builder.sources.html_pages import read_pages
from cloze.builder.sources.jsonl import read_jsonl
from cloze.builder.sources.records import Columns
from cloze.builder.sources.story_files import ENDING as STORY
from cloze.builder.sources.story_files import read_folder, read_tar
from cloze.builder.sources.tables import read_csv, read_parquet
from cloze.compressed import kind_of, lines
from cloze.errors import UserError
from cloze.files import sha256
from cloze.stories import Reject, Story

__all__ = ["Columns", "count_all", "fingerprint", "read_stories"]

_JSON_LINES = (".jsonl", ".ndjson")
_TARS = (".tar", ".tgz")


def read_stories(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every story of the source in a fixed order, and a reject for whatever is none."""
    if not path.exists():
        raise UserError("no such file or folder", where=path)
    if path.is_dir():
        return _read_directory(path)
    kind = kind_of(path)
    if kind in _JSON_LINES:
        return read_jsonl(path, columns)
    if kind in _TARS:
        return read_tar(path)
    if kind in (".csv", ".tsv"):
        return read_csv(path, columns)
    if kind in (".parquet", ".pq"):
        return read_parquet(path, columns)
    raise UserError(
        f"what is a file that ends in '{kind}'?",
        where=path,
        fix="stories come as .jsonl, .csv, .tsv, .parquet, a .tar or folder of .story files, "
        "or a folder of .html pages",
    )


def _read_directory(folder: Path) -> Iterator[Story | Reject]:
    if next(folder.rglob(f"*{STORY}"), None) is not None:
        return read_folder(folder)
    if any(path.suffix.lower() in PAGES for path in folder.rglob("*")):
        return read_pages(folder)
    raise UserError("no .story files and no .html pages in this folder", where=folder)


def count_all(paths: Sequence[Path]) -> int | None:
    """How many stories there are, for a progress bar, where that is quick to tell."""
    if not sys.stderr.isatty():
        return None
    counts = [_count(path) for path in paths]
    return None if None in counts else sum(count or 0 for count in counts)


def _count(path: Path) -> int | None:
    if path.is_dir():
        endings = (STORY, *PAGES)
        return sum(1 for file in path.rglob("*") if file.suffix.lower() in endings)
    kind = kind_of(path)
    if kind in _JSON_LINES:
        return sum(1 for line in lines(path) if line.strip())
    if kind in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        return int(pq.read_metadata(path).num_rows)
    return None


def fingerprint(path: Path) -> dict[str, Any]:
    """What identifies the content of a source: its bytes, or the names and sizes in a folder."""
    if not path.exists():
        raise UserError("no such file or folder", where=path)
    if not path.is_dir():
        return {"name": path.name, "sha256": sha256(path)}
    listing = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            listing.update(f"{file.relative_to(path)}\t{file.stat().st_size}\n".encode(
                errors="surrogateescape"))  # fmt: skip
    return {"name": path.name, "listing": listing.hexdigest()}
