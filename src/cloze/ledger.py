"""A SQLite file in which every line is safe the moment it is written, and which any tool can read.

A process that is killed at any moment loses nothing that it had written. Whatever goes wrong with
the file is told in one line.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cloze.errors import UserError
from cloze.files import explain


class Ledger:
    """The file, opened; several processes may write to it at the same time.

    `what` it holds and how to `fix` it stand in messages. `version` is that of its tables. `odd`
    are the rows that this program does not write, each as in "table where …": SQLite lets any
    column hold anything.
    """

    def __init__(
        self, path: Path, tables: str, odd: Iterable[str], *, version: int, what: str, fix: str
    ) -> None:
        self.path, self._what, self._fix = path, what, fix
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()  # unlike SQLite, the system says why a file cannot be made
            self._base = sqlite3.connect(path, timeout=60, isolation_level=None)
            # With a write-ahead log a commit is one append, which survives the end of the process.
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            self._check_version(version)
            self._base.executescript(tables)
            for each in odd:  # a quick pass over each table
                if self._base.execute(f"select exists (select 1 from {each})").fetchone() != (0,):
                    raise self.damaged()

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """For single statements, each of which is a transaction of its own."""
        with self._explained():
            yield self._base

    @contextmanager
    def at_once(self) -> Iterator[sqlite3.Connection]:
        """For statements of which all count or none."""
        with self._explained():
            self._base.execute("begin immediate")
            try:
                yield self._base
            except BaseException:
                self._base.execute("rollback")
                raise
            self._base.execute("commit")

    def flush(self) -> None:
        """To the disk itself: from here on not even a power cut loses anything."""
        with self._explained():
            self._base.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        self._base.close()

    def damaged(self) -> UserError:
        what = f"is damaged: it holds values that {self._what} cannot have"
        return UserError(what, where=self.path, fix=self._fix)

    def _check_version(self, version: int) -> None:
        (found,) = self._base.execute("pragma user_version").fetchone()
        if found not in (0, version):
            raise UserError(
                f"holds {self._what} in version {found}, and this program reads {version}",
                where=self.path,
                fix=self._fix,
            )
        self._base.execute(f"pragma user_version = {version}")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise explain(problem, self.path) from problem
        except (sqlite3.Error, UnicodeDecodeError) as problem:  # it may quote what is damaged
            why = getattr(problem, "sqlite_errorname", "")  # SQLite does not say why a write failed
            fails = why.startswith("SQLITE_IOERR") or (
                why.startswith("SQLITE_CANTOPEN") and self.path.is_file()  # nor a file of its log
            )
            said = "the disk is full or fails" if fails else problem
            line = f"cannot keep {self._what} ({said})"
            raise UserError(line, where=self.path, fix=self._fix) from None
