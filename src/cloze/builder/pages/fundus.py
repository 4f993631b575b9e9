"""Articles read by Fundus, in a Python of its own: its dependencies clash with ours.

The process is started with the first page and again after it has ended, for instance because a
page took it too long. A page that it cannot read is left to the others.
"""

import contextlib
import json
import subprocess
from pathlib import Path
from typing import NamedTuple

from cloze.errors import UserError

_CHILD = Path(__file__).with_name("fundus_child.py")


class Known(NamedTuple):
    paragraphs: list[str]
    bullets: list[str]


class Fundus:
    def __init__(self, python: str) -> None:
        self._python = python
        self._child: subprocess.Popen[str] | None = None
        self._publishers: frozenset[str] = frozenset()

    def read(self, html: str, url: str | None) -> Known | None:
        """The article, if Fundus knows its publisher and finds one."""
        child = self._child if self._child and self._child.poll() is None else self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps({"html": html, "url": url}) + "\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except OSError:
            answer = ""
        found = json.loads(answer) if answer.endswith("\n") else None
        return Known(found["body"], found["summary"]) if found else None

    def _start(self) -> subprocess.Popen[str]:
        """The child says that it is ready when it has found its package."""
        if self._child is not None:
            _end(self._child)
            self._child = None
        try:
            child = subprocess.Popen(
                [self._python, "-I", str(_CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as problem:
            raise UserError(f"cannot be run ({problem.strerror})", where=self._python) from None
        assert child.stdout is not None
        if child.stdout.readline() != "ready\n":
            _end(child)
            raise UserError(
                "this Python has no Fundus",
                where=self._python,
                fix="make one from outside/fundus: make outside OUTSIDE=fundus",
            )
        self._child = child
        return child


def _end(child: subprocess.Popen[str]) -> None:
    """Also close its pipes; what it had not read yet is lost."""
    child.kill()
    with contextlib.suppress(OSError), child:
        pass
