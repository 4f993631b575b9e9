"""Work in a forked process: what it says comes back, and its crash, its memory and its time."""

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    status: int  # the exit code, or minus the signal
    memory: int  # the most bytes that it had in memory
    said: list[Any]  # every message that came before the end


def isolated(work: Callable[[Callable[[Any], None]], object]) -> Ended:
    """Run `work(say)` in a child; what it says is JSON, and arrives even when it crashes later."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(work, writing)
    os.close(writing)
    with open(reading, "rb") as messages:
        said = list(_whole_lines(messages.read()))
    _, status, used = os.wait4(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024, said)


def _work(work: Callable[[Callable[[Any], None]], object], writing: int) -> None:
    code = 99
    try:
        work(lambda message: _send(writing, message))
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _send(writing: int, message: Any) -> None:
    os.write(writing, json.dumps(message).encode() + b"\n")


def _whole_lines(content: bytes) -> Iterator[Any]:
    for line in content.split(b"\n"):
        with suppress(ValueError):
            yield json.loads(line)


def limit_memory(most: int) -> None:
    """No more than this beyond what is mapped now, which is mostly libraries."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    bound = pages * resource.getpagesize() + most
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def ending(status: int) -> str:
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
