"""A large file of JSON lines cut into parts with the same number of stories each, once.

A compressed file can only be read from its start; several of them can be read by several machines.
Lines are copied as they are, and counted and hashed in `parts.json`. The spans, if given, are cut
at the same stories, into files of the same names in a folder `spans`.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze.builder.sources import Columns, read_stories
from cloze.compressed import kind_of, lines
from cloze.errors import UserError
from cloze.files import check_apart, described, sha256, whole_directory, write_json
from cloze.progress import track
from cloze.stories import Story

PARTS = "parts.json"
SPANS = "spans"


def cut_file(
    source: Path,
    out: Path,
    *,
    stories: int,
    columns: Columns,
    spans: Path | None = None,
    overwrite: bool = False,
) -> dict[str, dict[str, Any]]:
    """Write the parts into the folder `out`; returns what is in each of them."""
    if kind_of(source) != ".jsonl":
        raise UserError("is not a .jsonl file, compressed or not", where=source)
    check_apart(out, source, spans)
    parts: dict[str, dict[str, Any]] = {}
    with whole_directory(out, overwrite=overwrite) as folder:
        with contextlib.closing(_Parts(folder, source, stories, spans is not None)) as made:
            own = iter(lines(spans)) if spans else None
            records = track(_records(source, columns), "cutting", unit="records")
            for line, is_story in records:
                made.add(line, is_story, _next_span(own, spans) if own and is_story else None)
        for path in sorted(folder.glob("*.zst")):
            count, found = made.counts[path.name]
            parts[path.name] = {"records": count, "stories": found, **described(path)}
        about = {"name": source.name, "sha256": sha256(source), "parts": parts}
        write_json(folder / PARTS, about)
    return parts


def _records(source: Path, columns: Columns) -> Iterator[tuple[bytes, bool]]:
    """Each line that is not empty, and whether it is a story."""
    found = (line for line in lines(source) if line.strip())
    for line, story in zip(found, read_stories(source, columns), strict=True):
        yield line, isinstance(story, Story)


def _next_span(own: Iterator[bytes], spans: Path | None) -> bytes:
    line = next(own, None)
    if line is None:
        raise UserError(
            "ends before the stories do", where=spans, fix="write it again with cloze annotate"
        )
    return line


class _Parts:
    """The part that is being written, and what was written before."""

    def __init__(self, folder: Path, source: Path, size: int, with_spans: bool) -> None:
        self._folder, self._stem, self._size = folder, source.name.partition(".")[0], size
        self._with_spans = with_spans
        self._open = contextlib.ExitStack()
        self.counts: dict[str, tuple[int, int]] = {}
        self._name = ""

    def add(self, line: bytes, is_story: bool, span: bytes | None) -> None:
        if not self._name or (is_story and self.counts[self._name][1] == self._size):
            self._begin()
        records, stories = self.counts[self._name]
        self.counts[self._name] = records + 1, stories + is_story
        self._stories.write(line + b"\n")
        if span is not None:
            self._spans.write(span + b"\n")

    def _begin(self) -> None:
        self.close()
        self._name = f"{self._stem}-{len(self.counts):05d}.jsonl.zst"
        self.counts[self._name] = 0, 0
        self._stories = self._opened(self._folder / self._name)
        if self._with_spans:
            self._spans = self._opened(self._folder / SPANS / self._name)

    def _opened(self, path: Path) -> Any:
        path.parent.mkdir(exist_ok=True)
        return self._open.enter_context(pa.CompressedOutputStream(str(path), "zstd"))

    def close(self) -> None:
        self._open.close()
