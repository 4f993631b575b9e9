"""Parquet spoilt as a table: columns lost, of other types, with gaps, with odd values."""

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.torture.mutated_json import json_changed
from tests.torture.mutations import bytes_changed

_NUMBERS = (0, -1, 1, 3, 255, 2**15, 2**31 - 1, -(2**31), 10**6)
_TEXTS = (
    "",
    " ",
    "a  b",
    "odd",
    "\0",
    "a\nb",
    "@entity0",
    "@entity999999999",
    "@placeholder",
    "é" * 99,
)
_TYPES = (
    *(pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.binary()),
    *(pa.large_string(), pa.bool_(), pa.date32(), pa.timestamp("ns"), pa.list_(pa.string())),
    *(pa.list_(pa.int32()), pa.struct([("odd", pa.int32())]), pa.null(), pa.decimal128(38, 2)),
)


def table_changed(content: bytes, random: Random) -> bytes:
    """One or two columns are others; what the metadata say may be too."""
    table = pq.read_table(io.BytesIO(content))
    for _ in range(random.choice((1, 1, 2))):
        try:
            table = random.choice(_CHANGES)(table, random)
        except (pa.ArrowException, OverflowError, ValueError):
            return bytes_changed(content, random)  # Arrow itself refuses to make such a table
    whole = io.BytesIO()
    try:
        pq.write_table(table, whole, compression=random.choice(("zstd", "none", "snappy")))
    except pa.ArrowException:
        return bytes_changed(content, random)
    return whole.getvalue()


def _column(table: pa.Table, random: Random) -> tuple[int, str, pa.ChunkedArray]:
    place = random.randrange(table.num_columns)
    return place, table.column_names[place], table.column(place)


def _lose(table: pa.Table, random: Random) -> pa.Table:
    return table.remove_column(_column(table, random)[0])


def _rename(table: pa.Table, random: Random) -> pa.Table:
    names = list(table.column_names)
    names[random.randrange(len(names))] = random.choice(("odd", "", names[0]))
    return table.rename_columns(names)


def _retype(table: pa.Table, random: Random) -> pa.Table:
    place, name, column = _column(table, random)
    kind = random.choice(_TYPES)
    try:
        other = column.cast(kind)
    except pa.ArrowException:
        other = pa.nulls(len(table), kind)
    return table.set_column(place, name, other)


def _gap(table: pa.Table, random: Random) -> pa.Table:
    """Some values, on some level, are missing."""
    place, name, column = _column(table, random)
    values = column.to_pylist()
    if values:
        row = random.randrange(len(values))
        values[row] = _with_gap(values[row], random)
    return table.set_column(place, name, pa.array(values, column.type))


def _with_gap(value: Any, random: Random) -> Any:
    if isinstance(value, list) and value and random.random() < 0.7:
        value = list(value)
        k = random.randrange(len(value))
        value[k] = _with_gap(value[k], random)
        return value
    if isinstance(value, dict) and random.random() < 0.8:
        key = random.choice(list(value))
        return {**value, key: _with_gap(value[key], random)}
    return None


def _odd(table: pa.Table, random: Random) -> pa.Table:
    """Values that the type can hold and nobody would write."""
    place, name, column = _column(table, random)
    values = column.to_pylist()
    if values:
        row = random.randrange(len(values))
        values[row] = _made_odd(values[row], random)
    return table.set_column(place, name, pa.array(values, column.type))


def _made_odd(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        if not value or random.random() < 0.3:
            return random.choice(([], value * 2, value[:-1], value[::-1]))
        k = random.randrange(len(value))
        return [*value[:k], _made_odd(value[k], random), *value[k + 1 :]]
    if isinstance(value, dict):
        key = random.choice(list(value))
        return {**value, key: _made_odd(value[key], random)}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return random.choice(_NUMBERS)
    if isinstance(value, float):
        return random.choice((0.0, -1.0, 1e30, float("nan"), float("inf"), -float("inf")))
    if not isinstance(value, str):  # a date, or bytes
        return value
    return random.choice((*_TEXTS, f"{value} ", f" {value}", value.replace(" ", "  ")))


def _not_utf8(table: pa.Table, random: Random) -> pa.Table:
    """Text whose bytes are none, as a careless writer leaves it."""
    place, name, column = _column(table, random)
    if not pa.types.is_string(column.type) or not len(column):
        return _odd(table, random)
    raw = [None if v is None else v.encode() for v in column.to_pylist()]
    raw[random.randrange(len(raw))] = b"\xff\xfe odd"
    broken = pa.array(raw, pa.binary()).view(pa.string())
    return table.set_column(place, name, broken)


def _rows(table: pa.Table, random: Random) -> pa.Table:
    """Rows lost, repeated, or in another order."""
    order = list(range(len(table)))
    match random.randrange(3):
        case 0:
            order = order[: random.randrange(len(order) + 1)]
        case 1:
            order = order + order[:1]
        case _:
            random.shuffle(order)
    return table.take(order)


def _metadata(table: pa.Table, random: Random) -> pa.Table:
    head = dict(table.schema.metadata or {})
    if b"cloze" not in head:
        return _odd(table, random)
    head[b"cloze"] = random.choice((json_changed, bytes_changed))(head[b"cloze"], random)
    return table.replace_schema_metadata(head)


_CHANGES: tuple[Callable[[pa.Table, Random], pa.Table], ...] = (
    *(_lose, _rename, _retype, _retype, _gap, _gap, _odd, _odd, _odd, _not_utf8, _rows, _metadata),
)
