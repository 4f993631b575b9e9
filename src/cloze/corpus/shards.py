"""The Parquet files of a corpus: their columns, and rows that are checked when they are read.

A corpus may come from anywhere, with a manifest that agrees with its files: what the rest of the
software relies on is looked at here.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cloze.errors import UserError
from cloze.text import AFTER

_TEXT = [
    ("tokens", pa.string()),  # separated by one space, as in the published files
    ("surfaces", pa.list_(pa.string())),
    ("spacing", pa.list_(pa.uint8())),
]
_ENTITY = pa.struct(
    [
        ("marker", pa.int32()),
        ("name", pa.string()),
        ("type", pa.string()),
        ("surfaces", pa.list_(pa.string())),
    ]
)
DOCUMENTS = pa.schema(
    [
        *(("id", pa.string()), ("url", pa.string()), ("date", pa.string())),
        *_TEXT,
        ("entities", pa.list_(_ENTITY)),
    ]
)
QUESTIONS = pa.schema(
    [("id", pa.string()), ("document_id", pa.string()), *_TEXT, ("answer", pa.int32())]
)
AGAIN = "copy or build the corpus again"
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)  # what Arrow says of a bad file
_MAY_BE_MISSING = ("url", "date")


def batches(
    path: Path, columns: Sequence[str] | None = None, *, rows: int
) -> Iterator[pa.RecordBatch]:
    """Some columns of a shard (by default all of them), a batch of rows at a time."""
    try:
        with pq.ParquetFile(path) as file:
            wanted = _check_columns(file.schema_arrow, columns, path)
            for batch in file.iter_batches(batch_size=rows, columns=wanted):
                batch.validate(full=True)  # also that its text is UTF-8
                _check_values(batch, path)
                yield batch
    except UNREADABLE as problem:
        raise UserError(f"is not a whole Parquet file ({problem})", where=path, fix=AGAIN) from None


def _check_columns(found: pa.Schema, columns: Sequence[str] | None, path: Path) -> list[str]:
    expected = DOCUMENTS if path.parent.name == "documents" else QUESTIONS
    for name in expected.names:
        kind = expected.field(name).type
        if found.names.count(name) != 1 or not found.field(name).type.equals(kind):
            raise UserError(f"the column '{name}' is not one of {kind}", where=path, fix=AGAIN)
    return list(expected.names if columns is None else columns)


def _check_values(batch: pa.RecordBatch, path: Path) -> None:
    for name in batch.schema.names:
        if what := _odd(name, batch.column(name)):
            raise UserError(f"the column '{name}' {what}", where=path, fix=AGAIN)
    if {"tokens", "surfaces", "spacing"} <= set(batch.schema.names):
        tokens = _token_counts(batch.column("tokens"))
        for name in ("surfaces", "spacing"):
            if not pc.list_value_length(batch.column(name)).equals(tokens):
                what = f"the column '{name}' has not one value for each token"
                raise UserError(what, where=path, fix=AGAIN)


def _odd(name: str, column: pa.Array) -> str:
    """What is wrong with a column, or nothing."""
    if name not in _MAY_BE_MISSING and _has_gaps(column):
        return "has gaps"
    if name == "answer" and len(column) and pc.min(column).as_py() < 0:
        return "has numbers below 0"
    if name == "spacing" and (pc.max(column.flatten()).as_py() or 0) >= len(AFTER):
        return "has numbers that mean no spacing"
    if name == "entities":
        least = pc.min(column.flatten().field("marker")).as_py()
        return "" if least is None or least >= 0 else "has markers below 0"
    return ""


def _has_gaps(column: pa.Array) -> bool:
    """Whether a value is missing, on any level."""
    if column.null_count:
        return True
    if pa.types.is_list(column.type):
        return _has_gaps(column.flatten())
    if pa.types.is_struct(column.type):
        return any(map(_has_gaps, column.flatten()))
    return False


def _token_counts(tokens: pa.StringArray) -> pa.Int32Array:
    spaces = pc.count_substring(tokens, " ")
    return pc.if_else(pc.equal(tokens, ""), 0, pc.add(spaces, 1)).cast(pa.int32())
