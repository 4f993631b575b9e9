"""Two commands that write to the same place at once.

The first is stopped before one of its changes to the disk, the second runs to its end, and the
first goes on: every order in which two processes can meet, and none that depends on the clock.
Both end well, or one says in a line that it was too late; what they leave is whole, and of one of
them alone.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.torture.disturbed import COMMANDS, Command, Contents, Disturbance
from tests.torture.processes import Done, Server
from tests.torture.strikes import Mode, Striker

PATIENCE = 10  # seconds
_OTHER_NEWS = ("newsroom", "corpus", "--stories", "2", "--held-out", "1")
# Other commands that write to the same place as one of the others.
RIVALS: dict[str, Callable[[Path], list[str]]] = {
    "build": lambda world: ["import", str(world / "questions.tar"), "corpus"],
    "build, over another": lambda world: [*_OTHER_NEWS, "--overwrite"],
    "import": lambda world: [*_OTHER_NEWS],
    "prune, over another": lambda world: [
        *("prune", str(world / "model"), "small", "--words", "3", "--overwrite")
    ],
    "encode": lambda world: ["encode", str(world / "corpus"), "encoded", "--pool", "9"],
    "train": lambda world: [
        *("train", str(world / "train.yaml"), f"encoded={world / 'encoded'}", "out=run"),
        *("run.seed=7", "--resume"),
    ],
}


@dataclass(frozen=True)
class Pair:
    command: Command
    rival: Callable[[Path], list[str]]
    name: str


def pairs() -> Iterator[Pair]:
    """Every command with itself, and some with another that has the same output."""
    for command in COMMANDS:
        yield Pair(command, command.words, f"{command.name} twice")
        if command.name in RIVALS:
            rival = RIVALS[command.name]
            yield Pair(command, rival, f"{command.name} and {rival(Path())[0]}")


class Meeting:
    def __init__(self, striker: Striker, server: Server, pair: Pair, world: Path, place: Path):
        self.pair, self.server, self.striker = pair, server, striker
        self.first = Disturbance(striker, pair.command, world, place)
        self.words = pair.rival(world)
        self.second = self._alone()

    @property
    def moments(self) -> int:
        return self.first.counted[Mode.STOP]

    def meet(self, at: int) -> str:
        """What was wrong when the second ran while the first stood at this change; or nothing."""
        self.first.fresh()
        self.striker.begin(self.first.words, self.first.place, Mode.STOP, at)
        waiting = self._wait()
        self.server.begin(self.words, self.first.place)
        if waiting:
            self.server.wait(PATIENCE)  # the second may be waiting for the first, and rightly so
            os.kill(waiting, signal.SIGCONT)
        first, second = self.striker.end(), self.server.end()
        wrong = first.wrong() or second.wrong() or self._outcome(first, second)
        return f"{self.pair.name}, met at {at}: {wrong}" if wrong else ""

    def _alone(self) -> Contents:
        self.first.fresh()
        done = self.server.run(self.words, self.first.place)
        assert done.status == 0, done.err
        return self.first.seen()

    def _wait(self) -> int:
        until = time.monotonic() + 60
        while not self.striker.stopped and time.monotonic() < until:
            time.sleep(0.001)
        return self.striker.stopped

    def _outcome(self, first: Done, second: Done) -> str:
        if first.status and second.status:
            return f"both refused: {first.last_line} | {second.last_line}"
        if left := self.first.left():
            return f"left behind: {left}"
        now = self.first.seen()
        ended = [w for d, w in ((first, self.first.whole), (second, self.second)) if not d.status]
        if now not in ended:
            odd = sorted(n for n in now if all(now[n] != whole.get(n) for whole in ended))
            return f"what they left is of neither: {odd[:3] or 'a mixture'}"
        return ""
