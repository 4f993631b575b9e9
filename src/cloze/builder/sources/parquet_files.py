"""Stories from Parquet files."""

from collections.abc import Iterator
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _check_sizes(file.metadata, path)
            names = file.schema_arrow.names
            check_columns(names, columns, path)
            wanted = [n for n in (getattr(columns, f) for f in columns.__slots__) if n in names]
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS, columns=wanted):
                for record in _records(batch):
                    number += 1
                    where = f"{path.name}, row {number}"
                    if isinstance(record, Reason):
                        yield Reject(where, record)
                    else:
                        yield story_of(record, columns, where)
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
