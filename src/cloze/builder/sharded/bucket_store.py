"""A store on any storage that fsspec knows, such as s3://bucket/folder: no disk need be shared.

There is no rename and there are no locks, but a whole object appears at once, and "write this only
if it is not there" is one step. A claim is an object that its holder renews; one that has not been
renewed for a while belongs to a run that died.
"""

import contextlib
import json
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time as now
from typing import Any

from cloze.builder.sharded.store_errors import claimed, different_bytes, missing
from cloze.errors import UserError
from cloze.extras import needs

_LOCKS = "locks"
_RENEWED = 20.0  # seconds
_DEAD = 120.0


@dataclass(frozen=True, slots=True)
class BucketStore:
    root: str  # the address

    def within(self, name: str) -> "BucketStore":
        """A store inside this one."""
        return BucketStore(f"{self.root}/{name}")

    def make(self) -> None:
        """Nothing has to be made."""

    def has(self, name: str) -> bool:
        files, path = self._at(name)
        return bool(files.exists(path))

    def names(self, folder: str) -> set[str]:
        """The names in a folder of the store."""
        files, path = self._at(folder)
        with contextlib.suppress(FileNotFoundError):
            return {each.rstrip("/").rpartition("/")[2] for each in files.ls(path, detail=False)}
        return set()

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        files, path = self._at(name)
        if end == start:
            return b""
        try:
            return bytes(files.cat_file(path, start=start or None, end=end))
        except FileNotFoundError:
            raise missing(f"{self.root}/{name}") from None

    def write(self, name: str, content: bytes) -> None:
        """Stop if another run has made something else of the same input."""
        files, path = self._at(name)
        try:
            files.pipe_file(path, content, mode="create")
        except FileExistsError:
            if self.read(name) != content:
                raise different_bytes(f"{self.root}/{name}") from None

    def fetch(self, name: str, to: Path) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(self.read(name))

    @contextlib.contextmanager
    def claim(self, what: str) -> Iterator[None]:
        """Hold a piece of work for this process for as long as it lives."""
        name = f"{_LOCKS}/{what}"
        files, path = self._at(name)
        own = secrets.token_hex(8)
        self._take(name, what, own)
        done = threading.Event()

        def renew() -> None:
            while not done.wait(_RENEWED):
                files.pipe_file(path, _claim(own))

        threading.Thread(target=renew, daemon=True).start()
        try:
            yield
        finally:
            done.set()
            files.rm_file(path)

    @contextlib.contextmanager
    def claim_all(self) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            for name in sorted(self.names(_LOCKS)):
                held.enter_context(self.claim(name))
            yield

    def remove(self) -> None:
        files, path = self._at("")
        with contextlib.suppress(FileNotFoundError):
            files.rm(path, recursive=True)

    def tidy(self) -> None:
        """The fingerprints of sources stay: others may be about to use them."""

    def _take(self, name: str, what: str, own: str) -> None:
        files, path = self._at(name)
        try:
            files.pipe_file(path, _claim(own), mode="create")
        except FileExistsError:
            if now() - self._renewed(name) < _DEAD:
                raise claimed(what) from None
            files.pipe_file(path, _claim(own))

    def _renewed(self, name: str) -> float:
        """When a claim was renewed; long ago, if it has ended meanwhile."""
        try:
            return float(json.loads(self.read(name))["renewed"])
        except UserError:
            return 0

    def _at(self, name: str) -> tuple[Any, str]:
        """The storage, which remembers nothing of what others change, and a path in it."""
        with needs("storage"):
            import fsspec

        address = f"{self.root}/{name}".rstrip("/")
        try:
            files, path = fsspec.url_to_fs(address, use_listings_cache=False)
            return files, str(path)
        except (ImportError, ValueError) as problem:
            raise UserError(f"cannot be opened ({problem})", where=self.root) from None


def _claim(own: str) -> bytes:
    return json.dumps({"run": own, "renewed": now()}).encode()
