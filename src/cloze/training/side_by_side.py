"""Several runs at the same time, each `cloze train` in a process of its own with one thread.

    lines = [[attentive, impatient], [deep_lstm]]      # of `Run`
    with SideBySide(lines) as trained:
        ...                                            # something else, while they train
        for run in trained:                            # each as soon as it is finished
            print(run.out / "model")

The runs of a line follow each other, so that one can start from the one before it; the lines run
side by side. Small readers gain little from a second thread, but all of it from a second process.
"""

import os
import queue
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from cloze.errors import UserError
from cloze.progress import bar
from cloze.training.journal import METRICS, read_metrics


@dataclass(frozen=True)
class Run:
    name: str  # as its bar shows it
    config: str
    overrides: Sequence[str]
    steps: int
    out: Path

    @property
    def log(self) -> Path:
        return self.out.with_name(f"{self.out.name}.log")

    def start(self) -> "subprocess.Popen[bytes]":
        self.log.parent.mkdir(parents=True, exist_ok=True)
        words = [self.config, *self.overrides, f"run.steps={self.steps}", f"out={self.out}"]
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "cloze", "train", *words, "run.threads=1"],
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def failure(self, code: int) -> UserError:
        said = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        why = said[-1].removeprefix("error: ") if said else f"exit code {code}"
        return UserError(f"training the {self.name} failed ({why})", where=self.log)


class SideBySide:
    def __init__(self, lines: Sequence[Sequence[Run]]) -> None:
        self._runs = [run for line in lines for run in line]
        self._done: queue.SimpleQueue[Run | UserError] = queue.SimpleQueue()
        self._stopping = Event()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads = [Thread(target=self._follow, args=(line,)) for line in lines]

    def __enter__(self) -> Iterator[Run]:
        for thread in self._threads:
            thread.start()
        return self._finished()

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for process in self._processes:
            process.terminate()
        for thread in self._threads:
            thread.join()

    def _follow(self, line: Sequence[Run]) -> None:
        for run in line:
            if self._stopping.is_set():
                return
            process = run.start()
            self._processes.append(process)
            if self._stopping.is_set():
                process.terminate()
            if code := process.wait():
                self._done.put(run.failure(code))
                return
            self._done.put(run)

    def _finished(self) -> Iterator[Run]:
        for _ in self._runs:
            done = self._wait()
            if isinstance(done, UserError):
                raise done
            yield done

    def _wait(self) -> Run | UserError:
        """The next run that ends; until then, a bar for each."""
        with bar() as shown:
            bars = [shown.add_task(r.name, total=r.steps, unit="steps") for r in self._runs]
            while True:
                try:
                    return self._done.get(timeout=0.5)
                except queue.Empty:
                    for task, run in zip(bars, self._runs, strict=True):
                        step, note = _progress(run.out)
                        shown.update(task, completed=step, note=note)


def _progress(run: Path) -> tuple[int, str]:
    """The last step that was logged, and the best accuracy so far."""
    lines = read_metrics(run / METRICS)
    found = [line["valid_accuracy"] for line in lines if "valid_accuracy" in line]
    return (lines[-1]["step"] if lines else 0), f"best valid {max(found):.1%}" if found else ""
