"""Stories from Parquet files."""

from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze.builder.sources.records import Columns, check_columns, story_of
from cloze.compressed import check_ratio
from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

WHAT = "Parquet files"
ENDINGS = (".parquet", ".pq")
_ROWS = 8  # at a time: with a dictionary, one long text may be copied into many rows


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Each row is a story; only a few rows at a time are in memory."""
    return (story for _, story in read_part(path, columns, {}, None))


def cut(path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Runs of row groups."""
    with _opened(path) as file:
        bytes_here = first = row = start = 0
        for group in range(file.num_row_groups):
            about = file.metadata.row_group(group)
            bytes_here += about.total_byte_size
            row += about.num_rows
            if bytes_here >= size or group == file.num_row_groups - 1:
                yield {"groups": [start, group + 1], "first": first}
                bytes_here, first, start = 0, row, group + 1
        if not file.num_row_groups:
            yield {}


def read_part(
    path: Path, columns: Columns, part: dict[str, Any], wanted: Container[int] | None
) -> Iterator[tuple[int, Story | Reject]]:
    with _opened(path) as file:
        names = file.schema_arrow.names
        check_columns(names, columns, path)
        own = [n for n in (getattr(columns, f) for f in columns.__slots__) if n in names]
        groups = list(range(*part["groups"])) if part else None
        done = 0
        for batch in file.iter_batches(batch_size=_ROWS, columns=own, row_groups=groups):
            rows = [n for n in range(len(batch)) if wanted is None or done + n in wanted]
            chosen = batch if len(rows) == len(batch) else batch.take(rows) if rows else batch[:0]
            for row, record in zip(rows, _records(chosen), strict=True):
                where = f"{path.name}, row {part.get('first', 0) + done + row + 1}"
                if isinstance(record, Reason):
                    yield done + row, Reject(where, record)
                else:
                    yield done + row, story_of(record, columns, where)
            done += len(batch)


@contextmanager
def _opened(path: Path) -> "Iterator[pq.ParquetFile]":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _check_sizes(file.metadata, path)
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        line = " ".join(str(problem).split())
        raise UserError(f"is not a whole Parquet file ({line})", where=path) from None


def count(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


def _records(batch: "pa.RecordBatch") -> list[dict[str, Any] | Reason]:
    """The rows; if one of them cannot be converted to Python, the others still are."""
    try:
        return list(batch.to_pylist())
    except UnicodeDecodeError:
        reason = Reason.NOT_UTF8
    except (ValueError, OverflowError):  # a date outside the calendar
        reason = Reason.NO_FIELD
    if len(batch) == 1:
        return [reason]
    return [record for row in range(len(batch)) for record in _records(batch.slice(row, 1))]


def _check_sizes(metadata: "pq.FileMetaData", path: Path) -> None:
    """Not column by column: on what is broken there, Arrow ends the whole process."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    check_ratio(sum(group.total_byte_size for group in groups), path.stat().st_size, path)
