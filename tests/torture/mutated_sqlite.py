"""SQLite files with odd values in their rows, or spoilt as bytes."""

import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from tests.torture.mutations import bytes_changed

_ODD = (
    *(None, 0, -1, 1, 2**31, 2**63 - 1, -(2**63), 0.5, 1e308, float("inf"), "", " ", "odd", "\0"),
    *("a\nb", "{}", "[1", "null", "9" * 5000, "[" * 3000, b"", b"\xff\xfe", b"odd" * 99, "../odd"),
)


def sqlite_changed(content: bytes, random: Random) -> bytes:
    """A value that the column was not made for, a row lost, another version; or any byte."""
    if random.random() < 0.4:
        return bytes_changed(content, random)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "base"
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as base:
            base.execute("pragma journal_mode = delete")
            for _ in range(random.choice((1, 1, 2))):
                with suppress(sqlite3.Error):  # a rule of the table forbids it
                    _change(base, random)
            base.commit()
        return path.read_bytes()


def _change(base: sqlite3.Connection, random: Random) -> None:
    tables = [name for (name,) in base.execute("select name from sqlite_master where type='table'")]
    if not tables:  # they were dropped
        return
    table = random.choice(tables)
    columns = [row[1] for row in base.execute(f"pragma table_info({table})")]
    column = random.choice(columns)
    match random.randrange(10):
        case 0:
            base.execute(f"delete from {table}")
        case 1:
            base.execute(f"drop table {table}")
        case 2:
            base.execute(f"alter table {table} rename column {column} to odd")
        case 3:
            base.execute(f"pragma user_version = {random.choice((0, 2, -1, 2**31 - 1))}")
        case _:
            key = columns[0]
            keys = [row[0] for row in base.execute(f"select {key} from {table}")] or [None]
            row = random.choice(keys)
            value = random.choice(_ODD)
            base.execute(f"update {table} set {column} = ? where {key} = ?", (value, row))
