"""A store in a folder that all machines see, for instance by NFS."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from cloze.builder.sharded.store_errors import claimed, different_bytes, missing, removed
from cloze.files import whole_file

_LOCKS, _FINGERPRINTS = "locks", "fingerprints"


@dataclass(frozen=True, slots=True)
class FolderStore:
    root: Path

    def within(self, name: str) -> "FolderStore":
        """A store inside this one."""
        return FolderStore(self.root / name)

    def make(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)

    def has(self, name: str) -> bool:
        return (self.root / name).is_file()

    def names(self, folder: str) -> set[str]:
        """The names in a folder of the store."""
        with contextlib.suppress(FileNotFoundError):
            return {name for name in os.listdir(self.root / folder) if not name.startswith(".")}
        return set()

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        try:
            with open(self.root / name, "rb") as file:
                file.seek(start)
                return file.read(-1 if end is None else end - start)
        except FileNotFoundError:
            self._check_there()
            raise missing(self.root / name) from None

    def write(self, name: str, content: bytes) -> None:
        """Stop if another run has made something else of the same input."""
        if self.has(name):
            if self.read(name) != content:
                raise different_bytes(self.root / name)
            return
        try:
            with whole_file(self.root / name, below=self.root) as temporary:
                temporary.write_bytes(content)
        except OSError:
            self._check_there()
            raise

    def fetch(self, name: str, to: Path) -> None:
        """A copy of a file; where the system can, only another name for it."""
        to.parent.mkdir(parents=True, exist_ok=True)
        to.unlink(missing_ok=True)
        try:
            os.link(self.root / name, to)
        except OSError:
            shutil.copyfile(self.root / name, to)

    @contextlib.contextmanager
    def claim(self, what: str) -> Iterator[None]:
        """Hold a piece of work for this process; a process that died holds nothing."""
        self._check_there()
        lock = FileLock(self.root / _LOCKS / f"{what}.lock", timeout=0)
        try:
            lock.acquire()  # makes the folder of the lock, even if the store has just been removed
        except Timeout:
            raise claimed(what) from None
        try:
            self._check_not_made_anew(Path(lock.lock_file))
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def claim_all(self) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            for name in sorted(self.names(_LOCKS)):
                held.enter_context(self.claim(name.removesuffix(".lock")))
            yield

    def remove(self) -> None:
        """All of it; a worker that was given up and is still alive must not begin it anew."""
        gone = self.root.with_name(f"{self.root.name}.done")
        shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(OSError):  # it is not there, or there is no room for a name
            os.replace(self.root, gone)
        for left in (gone, self.root):
            shutil.rmtree(left, ignore_errors=True)

    def _check_there(self) -> None:
        if not self.root.is_dir():
            raise removed(self.root)

    def _check_not_made_anew(self, lock: Path) -> None:
        """A store is begun before it is claimed: one with nothing but a lock in it is no store."""
        if self.root.is_dir() and os.listdir(self.root) == [_LOCKS]:
            with contextlib.suppress(OSError):  # unless another run has just begun it
                lock.unlink()
                for folder in (lock.parent, self.root, self.root.parent):
                    folder.rmdir()
        self._check_there()

    def tidy(self) -> None:
        """Remove a store that holds nothing but the fingerprints of sources."""
        with contextlib.suppress(OSError):  # it is not there, or something has just been begun
            if set(os.listdir(self.root)) <= {_FINGERPRINTS}:
                shutil.rmtree(self.root / _FINGERPRINTS, ignore_errors=True)
                self.root.rmdir()
