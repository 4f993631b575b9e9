"""Stories from CSV and TSV files, compressed or not."""

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from cloze.builder.sources.records import Columns, check_columns, story_of
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.files import MOST_BYTES
from cloze.stories import Reject, Story

WHAT = "CSV files"
ENDINGS = (".csv", ".tsv")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """A CSV (or, by its name, TSV) with a header; fields may hold line ends inside quotes."""
    csv.field_size_limit(sys.maxsize)  # the default refuses long articles; `_Lines` has a limit
    between = "\t" if ".tsv" in path.name else ","
    with opened(path) as stream:
        # Bytes that are not UTF-8 are kept as lone surrogates: their story is then rejected.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        lines = _Lines(text, path)
        rows = csv.DictReader(lines, delimiter=between)
        try:
            check_columns(rows.fieldnames or (), columns, path)
            lines.begin_record()
            for row in rows:
                yield story_of(row, columns, f"{path.name}, line {rows.line_num}")
                lines.begin_record()
        except csv.Error as problem:
            raise UserError(f"line {rows.line_num}: {problem}", where=path) from None


def count(path: Path) -> None:
    """Not quick to find out: a field may hold line ends."""


class _Lines:
    """The lines of a table, with a limit on the size of a record: a quotation mark that is never
    closed would take in the rest of the file."""

    def __init__(self, text: TextIO, path: Path) -> None:
        self._text, self._path = text, path
        self._number = 0
        self.begin_record()

    def begin_record(self) -> None:
        self._first, self._left = self._number + 1, MOST_BYTES

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(self._left + 1):
            self._number += 1
            self._left -= len(line)
            if self._left < 0:
                raise UserError(
                    f"the record that begins in line {self._first:,} is longer than 64 MiB",
                    where=self._path,
                    fix="close its quotation mark",
                )
            yield line
