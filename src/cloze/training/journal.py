"""What people see of a run: metrics.jsonl, two progress bars and, by option, TensorBoard."""

import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze.extras import needs
from cloze.files import explain, write_text
from cloze.progress import bar, watched
from cloze.training.order import Order, Place
from cloze.training.steps import Engine

if TYPE_CHECKING:
    from rich.progress import TaskID

METRICS = "metrics.jsonl"


class Metrics:
    """One JSON line per entry, written immediately; a resumed run drops what it will redo."""

    def __init__(
        self, path: Path | None, *, from_step: int, tensorboard: Path | None = None
    ) -> None:
        self._file = self._board = None
        if path is None:  # another rank reports
            return
        before = [line for line in read_metrics(path) if line["step"] <= from_step]
        write_text(path, "".join(json.dumps(line) + "\n" for line in before))
        self._path, self._file = path, path.open("ab", buffering=0)
        if tensorboard is not None:
            self._board = _open_tensorboard(tensorboard, from_step)

    def add(self, step: int, **values: float) -> None:
        if self._file is not None:
            self._append((json.dumps({"step": step, **values}) + "\n").encode())
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(name, value, step)

    def _append(self, line: bytes) -> None:
        assert self._file is not None
        try:
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as problem:
            self._file.close()
            self._file = None
            raise explain(problem, self._path) from problem

    def close(self) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
        if self._board is not None:
            self._board.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The complete lines; a kill may have left half a line at the end."""
    if not path.is_file():
        return []
    lines = []
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            break
        numbers = isinstance(line, dict) and all(type(v) in (int, float) for v in line.values())
        if not numbers or type(line.get("step")) is not int:
            break
        lines.append(line)
    return lines


def _open_tensorboard(directory: Path, from_step: int) -> Any:
    with needs("tensorboard"):
        from torch.utils.tensorboard import SummaryWriter
    return SummaryWriter(str(directory), purge_step=from_step)


class Watch:
    """Speeds and the share of time spent waiting for data; validating and saving do not count."""

    def __init__(self, order: Order, engine: Engine) -> None:
        self._order, self._engine = order, engine
        self._started = time.perf_counter()
        self._waited_before = 0.0
        self._seconds = self._waited = self._total_seconds = self._total_waited = 0.0
        self._questions = self._tokens = 0
        self._last: dict[str, float] = {}

    def restart(self) -> None:
        self._started = time.perf_counter()
        self._waited_before = self._engine.waited

    def pause(self) -> None:
        self._seconds += time.perf_counter() - self._started
        self._waited += self._engine.waited - self._waited_before
        self.restart()

    def taken(self, start: int, steps: int) -> None:
        for step in range(start, start + steps):
            questions = self._order.questions(step)
            self._questions += len(questions)
            self._tokens += int(self._order.lengths[questions].sum())

    def speed(self) -> dict[str, float]:
        """Since the last call."""
        self.pause()
        self._total_seconds += self._seconds
        self._total_waited += self._waited
        self._last = self._so_far()
        self._seconds = self._waited = 0.0
        self._questions = self._tokens = 0
        return self._last

    def _so_far(self) -> dict[str, float]:
        seconds = max(self._seconds, 1e-9)
        return {
            "questions_per_second": self._questions / seconds,
            "tokens_per_second": self._tokens / seconds,  # of documents, padding not counted
            "data_wait_share": self._waited / seconds,
        }

    @property
    def wait_share(self) -> float:
        """Over the whole run."""
        return self._total_waited / max(self._total_seconds, 1e-9)

    def line(self) -> str:
        speed = self._last or self._so_far()  # slow steps: validated before the first speed
        if not speed["questions_per_second"]:
            return "no speed yet"
        share = self.wait_share if self._last else speed["data_wait_share"]
        return (
            f"{rate(speed['questions_per_second'])} questions/s, "
            f"{rate(speed['tokens_per_second'])} tokens/s, data wait {share:.1%}"
        )


def rate(number: float) -> str:
    """
    >>> rate(1234.5), rate(1.25)
    ('1,234', '1.2')
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


class Bars:
    """Bars for the epoch and the run, with the time left; nothing if there is no terminal."""

    def __init__(self, steps: int | None, *, shown: bool) -> None:
        self._speaks = shown
        self._shown = shown and watched()
        self._bar = bar()
        self._epoch = self._bar.add_task("epoch", total=None, unit="steps")
        self._run = self._bar.add_task("run", total=steps, unit="steps")
        self._valid: TaskID | None = None
        self._epoch_shown = -1

    def __enter__(self) -> None:
        if self._shown:
            self._bar.start()

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._bar.stop()

    def at(self, step: int, place: Place) -> None:
        if not self._shown:
            return
        if self._epoch_shown != place.epoch:
            self._epoch_shown = place.epoch
            name = f"epoch {place.epoch + 1}"
            self._bar.reset(self._epoch, total=place.batches, description=name)
        self._bar.update(self._epoch, completed=place.position)
        self._bar.update(self._run, completed=step)

    def validating(self, done: int, total: int) -> None:
        if not self._shown:
            return
        if self._valid is None:
            self._valid = self._bar.add_task("valid", total=total, unit="batches")
        self._bar.update(self._valid, completed=done)
        if done == total:
            self._bar.remove_task(self._valid)
            self._valid = None

    def note(self, loss: float, questions: float, tokens: float, best: float | None) -> None:
        rates = f"{rate(questions)} questions/s, {rate(tokens)} tokens/s"
        self._bar.update(self._epoch, note=f"loss {loss:.3f}, {rates}")
        if best is not None:
            self._bar.update(self._run, note=f"best valid {best:.2%}")

    def say(self, line: str) -> None:
        """Print a line that stays, above the bars or in a log."""
        if self._shown:
            self._bar.console.print(line, highlight=False, markup=False)
        elif self._speaks:
            print(line, file=sys.stderr, flush=True)
