"""Stories from Parquet files."""

from collections.abc import Iterator
from pathlib import Path

from cloze.builder.sources.records import Columns, check_columns, story_of
from cloze.errors import UserError
from cloze.stories import Reject, Story

WHAT = "Parquet files"
ENDINGS = (".parquet", ".pq")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Each row is a story; a few rows at a time are in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            check_columns(names, columns, path)
            wanted = [n for n in (getattr(columns, f) for f in columns.__slots__) if n in names]
            number = 0
            for batch in file.iter_batches(batch_size=256, columns=wanted):
                for record in batch.to_pylist():
                    number += 1
                    yield story_of(record, columns, f"{path.name}, row {number}")
    except (pa.ArrowInvalid, OSError) as problem:
        line = " ".join(str(problem).split())
        raise UserError(f"is not a whole Parquet file ({line})", where=path) from None


def count(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)
