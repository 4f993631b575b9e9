"""What the sources are, hashed once for all the machines that see the same files."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cloze.builder.sharded.sealed_files import json_of, put_json
from cloze.builder.sharded.stores import Store
from cloze.builder.sources.fingerprint import Fingerprint


@dataclass(frozen=True, slots=True)
class HashedSources:
    read: dict[Path, Fingerprint]
    names: dict[Path, str]  # in a store; they change with the sources

    @classmethod
    def of(cls, paths: Iterable[Path], stores: Store) -> Self:
        """Nothing is written: whether the work can be begun at all is not known yet."""
        found = cls({}, {})
        for path in paths:
            if path.exists():
                found.names[path] = _name(path)
            found.read[path] = _fingerprint(path, found.names.get(path), stores)
        return found

    def keep(self, stores: Store) -> None:
        """Keep what is new, unless its source was changed while it was hashed."""
        stores.make()
        for path, name in self.names.items():
            if not stores.has(name) and _name(path) == name:
                made = self.read[path]
                about = {"told": made.told, "content": made.content, "moment": made.moment}
                put_json(stores, name, about)


def _name(path: Path) -> str:
    return f"fingerprints/{Fingerprint.exact_moment(path)}.json"


def _fingerprint(path: Path, name: str | None, stores: Store) -> Fingerprint:
    if name is None or not stores.has(name):
        return Fingerprint.of(path)
    found = json_of(stores, name)
    return Fingerprint(path, found["told"], found["content"], found["moment"])
