"""Stories from CSV and TSV files, compressed or not."""

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from cloze.builder.sources.records import Columns, check_columns, story_of
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.stories import Reject, Story

WHAT = "CSV files"
ENDINGS = (".csv", ".tsv")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """A CSV (or, by its name, TSV) with a header; fields may hold line ends inside quotes."""
    csv.field_size_limit(sys.maxsize)  # the default refuses long articles
    between = "\t" if ".tsv" in path.name else ","
    with opened(path) as stream:
        # Bytes that are not UTF-8 are kept as lone surrogates: their story is then rejected.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        rows = csv.DictReader(text, delimiter=between)
        check_columns(rows.fieldnames or (), columns, path)
        try:
            for row in rows:
                yield story_of(row, columns, f"{path.name}, line {rows.line_num}")
        except csv.Error as problem:
            raise UserError(f"line {rows.line_num}: {problem}", where=path) from None


def count(path: Path) -> None:
    """Not quick to tell: a field may hold line ends."""
