"""What was made is kept in a store: its files and, last of all, a record with their SHA-256."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.sealed_files import json_of, put_json
from cloze.builder.sharded.stores import Store
from cloze.errors import UserError
from cloze.files import described, verify

_FILES = "files/"


def keep(store: Store, name: str, made: Path, about: dict[str, Any]) -> None:
    """Put the files of a folder into the store; `about` goes into the record."""
    files = {}
    for path in sorted(path for path in made.rglob("*") if path.is_file()):
        own = path.relative_to(made).as_posix()
        files[own] = described(path)
        store.write(_FILES + own, path.read_bytes())
    record = {**about, "files": files}
    put_json(store, _record(name), record)


def bring(store: Store, name: str, to: Path) -> Any:
    """Bring the files back into a folder and check them; returns the record."""
    record = json_of(store, _record(name))
    for own, expected in record["files"].items():
        store.fetch(_FILES + own, to / own)
        verify(to / own, expected, fix="remove it and run its shard again")
    return record


def bring_all(store: Store, names: Iterable[str], to: Path) -> Iterator[Any]:
    """The records in the order of the names; a few of those that follow are brought meanwhile."""
    return at_once(lambda name: bring(store, name, to), names)


def is_kept(store: Store, name: str) -> bool:
    return store.has(_record(name))


def all_kept(store: Store) -> set[str]:
    """The names whose record is there."""
    return {name.removesuffix(".json") for name in store.names("records")}


def check_all_kept(store: Store, names: Iterable[str]) -> None:
    wanted, there = list(names), all_kept(store)
    missing = [name for name in wanted if name not in there]
    if missing:
        raise UserError(
            f"{len(missing):,} of {len(wanted):,} parts are not done yet "
            f"({missing[0]} is the first)",
            fix="run the shards that are missing, or --shard 1/1 for all that is left",
        )


def _record(name: str) -> str:
    return f"records/{name}.json"
