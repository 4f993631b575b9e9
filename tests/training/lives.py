"""Run `cloze train` in forked processes that die in the ways real ones do.

    python lives.py PLAN.json        a list of lives, run one after the other

A life is {"arguments": [...], "die": {...}} or with "signal": {...}; its exit status is printed
as one JSON line. Forking from a process that has already imported torch, but not yet used it, takes
milliseconds, while starting Python takes seconds; the kill is a real SIGKILL.
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib.figure
import torch
import torch._dynamo

import cloze.training.trainer
from cloze.cli import main as command
from cloze.readers.batch import Batch
from cloze.recurrence import loops
from cloze.training import checkpoints
from cloze.training.rmsprop import RmsProp
from cloze.training.steps import Stepper


def die_in_update(number: int) -> None:
    """SIGKILL in the middle of this life's update `number`, its weights half changed."""
    advance, taken = RmsProp._advance, 0
    step = RmsProp.step

    def counted(self: RmsProp, *arguments: Any) -> torch.Tensor:
        nonlocal taken
        taken += 1
        return step(self, *arguments)

    def deadly(self: RmsProp, *arguments: Any) -> None:
        advance(self, *arguments)
        if taken == number:
            os.kill(os.getpid(), signal.SIGKILL)

    RmsProp.step, RmsProp._advance = counted, deadly  # type: ignore[method-assign]


def die_in_save(number: int) -> None:
    """SIGKILL while checkpoint `number` of this life has its tensors but no manifest."""
    write, taken = checkpoints.write_json, 0

    def deadly(path: Path, value: Any) -> None:
        nonlocal taken
        if path.name == checkpoints.MANIFEST and "step-" in path.parent.name:
            taken += 1
            if taken == number:
                os.kill(os.getpid(), signal.SIGKILL)
        write(path, value)

    checkpoints.write_json = deadly


def note_batches(path: Path) -> None:
    """Append what each step reads (questions' words and markers), as a digest."""
    gradient = Stepper.gradient

    def noted(self: Stepper, step: int, batch: Batch, *more: Any, **named: Any) -> torch.Tensor:
        tensors = (batch.document, batch.question, batch.answers, batch.candidates)
        digest = hashlib.sha256(b"".join(t.numpy().tobytes() for t in tensors)).hexdigest()
        with path.open("a") as file:
            file.write(json.dumps([step, digest]) + "\n")
        return gradient(self, step, batch, *more, **named)

    Stepper.gradient = noted  # type: ignore[method-assign]


def live(life: dict[str, Any]) -> int:
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        if "notes" in life:
            note_batches(Path(life["notes"]))
        if life.get("die_in_update"):
            die_in_update(life["die_in_update"])
        if life.get("die_in_save"):
            die_in_save(life["die_in_save"])
        sys.argv = ["cloze", "train", *life["arguments"]]
        sys.stdout = sys.stderr = open(life["log"], "a")  # noqa: SIM115
        try:
            command.main()
        except SystemExit as end:
            sys.stderr.flush()
            os._exit(int(end.code or 0))
        finally:
            os._exit(99)
    if "signal" in life:
        wanted = Path(life["when"])
        while not wanted.exists():
            time.sleep(0.005)
        os.kill(child, life["signal"])
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    # Whatever is slow to import or compile is ready before the first fork.
    assert all((matplotlib.figure, torch._dynamo, cloze.training.trainer))
    for name in ("forward", "backward"):
        loops.compiled(name, torch.float32)
    for planned in json.loads(Path(sys.argv[1]).read_text()):
        done = live(planned)
        print(done, flush=True)
        while planned.get("until_done") and done == -signal.SIGKILL:
            done = live(planned)
            print(done, flush=True)
