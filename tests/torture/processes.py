"""The other end of `server.py`: run a command line, and what became of it."""

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]
SECONDS, MEMORY = 60, 2 << 30


@dataclass(frozen=True)
class Done:
    words: list[str]
    status: int
    seconds: float
    memory: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        return self.err.splitlines()[-1] if self.err.strip() else ""

    def wrong(self) -> str:
        """What a user should never see, or nothing."""
        if "Traceback" in self.err or "Traceback" in self.out:
            return f"a traceback: {self.last_line}"
        if self.status < 0:
            return f"ended by signal {-self.status} after {self.seconds:.0f} s"
        if self.status not in (0, 2):
            return f"exit code {self.status}: {self.last_line}"
        if self.status == 2 and not self.last_line.startswith("error: "):
            return "" if self.out.startswith("Usage") else f"no line says why: {self.err[-200:]!r}"
        if self.err.count("error: ") > 1:
            return f"more than one error: {self.err[-300:]!r}"
        if self.memory > MEMORY:
            return f"{self.memory / 2**30:.1f} GiB of memory"
        return ""


def environment() -> dict[str, str]:
    """This process's own, with our packages before those that it finds elsewhere."""
    path = [str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    quiet = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    return os.environ | quiet | {"PYTHONPATH": os.pathsep.join(path)}


class Server:
    """A process to fork commands from; `more` is for its environment: what must be there early."""

    def __init__(self, **more: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.server"],
            cwd=ROOT,
            env=environment() | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        with self._process:  # closes its pipes and waits for it
            pass

    def begin(self, words: list[str], folder: Path, **more: Any) -> None:
        assert self._process.stdin is not None
        request = {"words": words, "folder": str(folder), "seconds": SECONDS, **more}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        self._words = words

    def wait(self, seconds: float) -> None:
        """Until the command has ended, but no longer than this."""
        assert self._process.stdout is not None
        select.select([self._process.stdout], [], [], seconds)

    def end(self) -> Done:
        assert self._process.stdout is not None
        return Done(self._words, **json.loads(self._process.stdout.readline()))

    def run(self, words: list[str], folder: Path, **more: Any) -> Done:
        self.begin(words, folder, **more)
        return self.end()
