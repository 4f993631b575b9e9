"""Kills or fails a command at a chosen change to the disk; `strikes.c` does the striking."""

import mmap
import shutil
import struct
import subprocess
import tempfile
from enum import IntEnum
from pathlib import Path
from typing import Any, Self

from tests.torture.processes import Done, Server

_HEAD = struct.Struct("<qqqqq")
_SIZE = 4096


class Mode(IntEnum):
    COUNT = 0
    KILL = 1  # before the change
    TEAR = 2  # half of the bytes are written, then the process is killed
    FAIL = 3  # this one fails, as on a disk that is full for a moment
    FULL = 4  # this one and all that follow
    STOP = 5  # the process stands still until it is told to go on


class Striker:
    """A server whose commands are struck."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="strikes-")
        place = Path(self._folder.name)
        library, control = place / "strikes.so", place / "control"
        source = Path(__file__).with_suffix(".c")
        flags = ("-shared", "-fPIC", "-O2")
        subprocess.run([compiler(), *flags, "-o", library, source, "-ldl"], check=True)
        control.write_bytes(bytes(_SIZE))
        with open(control, "r+b") as file:
            self._control = mmap.mmap(file.fileno(), _SIZE)
        self._server = Server(LD_PRELOAD=str(library), STRIKES=str(control))

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()
        self._control.close()
        self._folder.cleanup()

    def run(self, words: list[str], folder: Path, mode: Mode = Mode.COUNT, at: int = 0) -> Done:
        """Run a command in a folder, whose changes below it are counted from 1."""
        self.begin(words, folder, mode, at)
        return self.end()

    def begin(self, words: list[str], folder: Path, mode: Mode, at: int) -> None:
        root = str(folder.resolve()).encode()
        self._control[:] = (_HEAD.pack(0, 0, at, mode, 0) + root).ljust(_SIZE, b"\0")
        self._server.begin(words, folder)

    def end(self) -> Done:
        try:
            return self._server.end()
        finally:
            self._control[_HEAD.size :] = bytes(_SIZE - _HEAD.size)

    @property
    def stopped(self) -> int:
        """The process that stands still, or 0."""
        return int(_HEAD.unpack(self._control[: _HEAD.size])[4])

    @property
    def counted(self) -> dict[Mode, int]:
        """How many changes the last command made that each mode could strike."""
        changes, growths, *_ = _HEAD.unpack(self._control[: _HEAD.size])
        return {m: changes if m in (Mode.KILL, Mode.STOP) else growths for m in Mode}


def compiler() -> Any:
    return shutil.which("cc") or shutil.which("gcc")
