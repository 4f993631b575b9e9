"""Stories from CSV and Parquet tables."""

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from cloze.builder.sources.records import Columns, story_of
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.stories import Reject, Story

_NEEDED = ("article", "highlights")


def read_csv(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """A CSV (or, by its name, TSV) with a header; fields may hold line ends inside quotes."""
    csv.field_size_limit(sys.maxsize)  # the default refuses long articles
    between = "\t" if ".tsv" in path.name else ","
    with opened(path) as stream:
        # Bytes that are not UTF-8 are kept as lone surrogates: their story is then rejected.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        rows = csv.DictReader(text, delimiter=between)
        _check(rows.fieldnames or (), columns, path)
        try:
            for row in rows:
                yield story_of(row, columns, f"{path.name}, line {rows.line_num}")
        except csv.Error as problem:
            raise UserError(f"line {rows.line_num}: {problem}", where=path) from None


def read_parquet(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """A Parquet file with a row a story, streamed a few rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            _check(names, columns, path)
            wanted = [n for n in (getattr(columns, f) for f in columns.__slots__) if n in names]
            number = 0
            for batch in file.iter_batches(batch_size=256, columns=wanted):
                for record in batch.to_pylist():
                    number += 1
                    yield story_of(record, columns, f"{path.name}, row {number}")
    except (pa.ArrowInvalid, OSError) as problem:
        line = " ".join(str(problem).split())
        raise UserError(f"is not a whole Parquet file ({line})", where=path) from None


def _check(names: object, columns: Columns, path: Path) -> None:
    have = list(names)  # type: ignore[call-overload]
    missing = [n for n in (getattr(columns, field) for field in _NEEDED) if n not in have]
    if missing:
        raise UserError(
            f"has no column '{missing[0]}', only {', '.join(map(str, have)) or 'none'}",
            where=path,
            fix="say which is which: --columns article=COLUMN,highlights=COLUMN",
        )
