"""Reads spoilt files, thousands a second, in a process that can be lost.

Every input is drawn from (seed, kind, number) alone, so that any of them can be read again. A
finding is whatever is neither read nor refused in one line, takes more than a minute, or more than
two GiB of memory; a crash of the whole process is one too.
"""

import contextlib
import hashlib
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from mmap import mmap
from pathlib import Path
from random import Random
from typing import Any

from cloze.errors import UserError
from tests.torture.isolated import ending, isolated, limit_memory
from tests.torture.kind import Kind

SECONDS = 60
MEMORY = 2 << 30


@dataclass
class Count:
    """What became of the inputs of a kind."""

    inputs: int = 0
    refused: int = 0
    slowest: float = 0.0
    memory: int = 0
    findings: dict[str, str] = field(default_factory=dict)  # where it broke: how to see it again

    def add(self, part: dict[str, Any]) -> None:
        self.inputs += part["inputs"]
        self.refused += part["refused"]
        self.slowest = max(self.slowest, part["slowest"])
        self.memory = max(self.memory, part["memory"])
        self.findings = {**part["findings"], **self.findings}


class TooSlow(BaseException):
    pass


def fuzz(kind: Kind, world: Path, inputs: range, seed: int) -> Count:
    """Read these inputs in processes of their own, going on after a crash."""
    total = Count()
    while inputs:
        current = mmap(-1, 8)  # shared with the child: which input it reads
        ended = isolated(partial(_read_all, kind, world, inputs, seed, current))
        for message in ended.said:
            total.add(message)
        total.memory = max(total.memory, ended.memory)
        if ended.status == 0:
            break
        number = int.from_bytes(current[:], "little")
        total.inputs += number % 100 + 1  # those of the last hundred were not told
        total.findings[ending(ended.status)] = f"{kind.name!r} {number}"
        inputs = range(number + 1, inputs.stop)
    if total.memory > MEMORY:
        total.findings["memory"] = f"{kind.name!r}: {total.memory / 2**30:.1f} GiB"
    return total


def _read_all(
    kind: Kind, world: Path, inputs: range, seed: int, current: mmap, say: Callable[[object], None]
) -> None:
    limit_memory(MEMORY)
    for _, hundred in groupby(inputs, key=lambda number: number // 100):
        count = Count()
        fuzz_here(kind, world, hundred, seed, count, current)
        say(asdict(count))


def fuzz_here(
    kind: Kind, world: Path, inputs: Iterable[int], seed: int, count: Count, current: mmap
) -> None:
    with staged(kind, world) as scene:
        good = {name: _file(scene, name).read_bytes() for name in kind.files}
        for number in inputs:
            current[:] = number.to_bytes(8, "little")
            random = Random(f"{seed} {kind.name} {number}")
            name = random.choice(kind.files)
            _one(kind, scene, name, kind.change(good[name], random), count, number)
            if kind.consumed:
                _copy(world / kind.scene, scene)
            else:
                put(kind, scene, name, good[name])


def put(kind: Kind, scene: Path, name: str, content: bytes) -> None:
    _file(scene, name).write_bytes(content)
    if kind.sign is not None:
        kind.sign(scene, name)


def _one(kind: Kind, scene: Path, name: str, content: bytes, count: Count, number: int) -> None:
    put(kind, scene, name, content)
    label = f"{kind.name!r} {number}"
    begun = time.monotonic()
    count.inputs += 1
    try:
        with _limited_time():
            kind.read(scene)
            if kind.deeply is not None and number % 10 == 0:
                kind.deeply(scene)
    except UserError as problem:
        count.refused += 1
        if len(str(problem).splitlines()) > 1:
            count.findings.setdefault("more than one line", f"{label}: {problem}")
    except OSError as problem:
        if problem.filename is None:  # the command names the file and says what the system said
            _note(count, label)
    except (Exception, TooSlow):
        _note(count, label)
    count.slowest = max(count.slowest, time.monotonic() - begun)


def _note(count: Count, label: str) -> None:
    """Findings that break in the same line are one."""
    problem = sys.exc_info()[1]
    frames = traceback.extract_tb(problem.__traceback__) if problem else []
    own = [f for f in frames if "/cloze/" in f.filename] or list(frames)
    where = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "nowhere"
    said = " ".join(str(problem).split())[:150]
    count.findings.setdefault(f"{where} {type(problem).__name__}", f"{label}: {said}")


@contextlib.contextmanager
def staged(kind: Kind, world: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="torture-", dir=memory()) as folder:
        scene = Path(folder) / Path(kind.scene).name
        _copy(world / kind.scene, scene)
        (Path(folder) / "world").symlink_to(world)
        yield scene


def _copy(source: Path, scene: Path) -> None:
    if source.is_dir():
        shutil.rmtree(scene, ignore_errors=True)
        shutil.copytree(source, scene)
    else:
        shutil.copy(source, scene)


def _file(scene: Path, name: str) -> Path:
    return scene / name if name else scene


def fingerprint(folder: Path) -> str:
    """Of the names and the content of everything below it."""
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        hashed.update(f"{path} {len(content)} ".encode() + content)
    return hashed.hexdigest()


def memory() -> str | None:
    """A folder in memory, where there is a large one: writing is most of the work."""
    shared = "/dev/shm"
    large = os.path.isdir(shared) and shutil.disk_usage(shared).free > 2 << 30
    return shared if large else None


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise TooSlow(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
