"""Optuna's journal of a search: opened by many processes, whatever became of one of them."""

import json
import os
from pathlib import Path
from typing import Annotated

import optuna
from filelock import FileLock
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileSymlinkLock
from pydantic import Field

from cloze.errors import UserError
from cloze.shape import Shape

JOURNAL = "journal.log"
Value = bool | int | float | str | None


def open_study(folder: Path) -> optuna.Study:
    """The study whose journal is in the folder; it is begun if there is none."""
    journal = folder / JOURNAL
    lock = _Lock(folder / f".{JOURNAL}.lock")
    _check(journal, lock)
    try:
        study = optuna.create_study(
            study_name="cloze",
            storage=JournalStorage(JournalFileBackend(str(journal), lock)),
            direction="maximize",
            load_if_exists=True,
        )
        trials = study.get_trials()
    except OSError:
        raise
    except Exception as problem:  # Optuna believes what it reads, and fails in many ways
        what = f"is not the journal of a search ({type(problem).__name__}: {problem})"
        raise UserError(what, where=journal, fix=_FIX) from None
    for trial in trials:
        told = {"values": trial.values, "params": trial.params, **trial.user_attrs}
        _Trial.check(told, where=journal, fix=_FIX)
    return study


class _Lock(JournalFileSymlinkLock):
    """Optuna's own locks outlive a killed process by half a minute; the system's do not."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._lock = FileLock(path)

    def acquire(self) -> bool:
        self._lock.acquire()
        return True

    def release(self) -> None:
        self._lock.release()


class _Trial(Shape):
    """What we use of a trial: the rest is Optuna's own affair."""

    values: Annotated[list[float], Field(min_length=1, max_length=1)] | None = None
    params: dict[str, Value]
    minutes: float | None = None
    error: str = ""


def _check(journal: Path, lock: _Lock) -> None:
    """Cut off half a line, which a kill may have left: Optuna would go on writing behind it."""
    if not journal.is_file():
        return
    lock.acquire()
    try:
        content = journal.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            os.truncate(journal, len(whole))
    finally:
        lock.release()
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            json.loads(line)
        except (ValueError, RecursionError) as problem:
            what = f"is not valid JSON ({problem})"
            raise UserError(what, where=f"{journal}, line {number}", fix=_FIX) from None


_FIX = "give another --out"
