"""Whole Parquet columns of tokens as integer codes, without a Python object for each token."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze.corpus.shards import batches

ROWS = 4096  # three million tokens at CNN lengths: dictionaries stay small, vectors long


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """Some rows of a shard: token j of the rows laid end to end is `types[codes[j]]`."""

    types: list[str]
    codes: np.ndarray  # int32 [tokens]
    lengths: np.ndarray  # int64 [rows]
    rows: pa.RecordBatch  # the other columns asked for


def token_columns(path: Path, *others: str) -> Iterator[TokenColumns]:
    for rows in batches(path, ["tokens", *others], rows=ROWS):
        lists = pc.split_pattern(rows.column("tokens"), " ")
        lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
        # Splitting an empty text gives one empty token, but the text has none.
        empty = pc.equal(rows.column("tokens"), "").to_numpy(zero_copy_only=False)
        coded = lists.flatten().dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False)
        if empty.any():
            codes = codes[~np.repeat(empty, lengths)]
        lengths = np.where(empty, 0, lengths).astype(np.int64)
        yield TokenColumns(coded.dictionary.to_pylist(), codes, lengths, rows)


def entity_counts(path: Path) -> list[int]:
    """How many entities each document of a shard has."""
    found = batches(path, ["entities"], rows=ROWS)
    return [n for rows in found for n in pc.list_value_length(rows.column("entities")).to_pylist()]
