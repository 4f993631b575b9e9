"""Asynchronous training, the paper's way: worker processes on shared parameters.

The weights and the optimiser's state are in shared memory. Each worker takes the next step's
number, computes that step's gradient from the weights as they are, and applies it under a lock. So
a gradient may be as many updates old as there are other workers, and other workers may write the
weights while it is computed.

Which questions, markers and dropout belong to a step is deterministic; with one worker, everything
is, bit for bit as in a synchronous run. With several workers, the order in which updates arrive is
not, and so neither are the weights.

    cloze train configs/newsroom/attentive.yaml corpus=corpus out=runs/async run.workers=2
"""

import contextlib
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import torch
import torch.multiprocessing as mp
from torch import Tensor

from cloze.errors import UserError
from cloze.training.batches import Feed, TrainingBatches
from cloze.training.steps import Done, Rate, Stepper

POLL = 0.05  # seconds between two checks of how far the workers are


@dataclass
class Shared:
    """What the workers share."""

    next_step: Any  # int with a lock: the step that the next free worker takes
    stop: Any  # int: the step before which the workers pause
    update: Any  # lock: one worker at a time changes the weights
    losses: Tensor  # of each step in the stretch
    norms: Tensor


class Asynchronous:
    """Runs stretches of steps in worker processes."""

    def __init__(self, stepper: Stepper, batches: TrainingBatches, workers: int) -> None:
        if stepper.device.type != "cpu":
            raise UserError(
                "asynchronous workers train only on the CPU",
                fix="give run.device=cpu, or use torchrun for several GPUs",
            )
        spawn = mp.get_context("spawn")  # a forked copy of autograd's threads does not work
        stepper.network.share_memory()
        for tensor in stepper.optimiser.state().values():
            _shared(tensor)
        longest = stepper.settings.run.log_every
        self.shared = Shared(
            spawn.Value("q", 0),
            spawn.Value("q", 0),
            spawn.Lock(),
            _shared(torch.zeros(longest)),
            _shared(torch.zeros(longest)),
        )
        self.waited = 0.0
        self.connections: list[Connection] = []
        self.processes = []
        threads = max(1, torch.get_num_threads() // workers)
        for _ in range(workers):
            here, there = spawn.Pipe()
            arguments = (there, stepper, batches, self.shared, threads)
            process = spawn.Process(target=_work, args=arguments, daemon=True)
            process.start()
            there.close()
            self.connections.append(here)
            self.processes.append(process)

    def run(self, start: int, stop: int, rate: Rate, halt: Callable[[int], bool]) -> Done:
        shared = self.shared
        shared.next_step.value, shared.stop.value = start, stop
        rates = [rate(step) for step in range(start, stop)]
        for connection in self.connections:
            with self._reporting_dead_workers():
                connection.send((start, rates))
        busy = set(self.connections)
        while busy:
            for ready in wait(list(busy), POLL):
                assert isinstance(ready, Connection)
                self._hear(ready)
                busy.discard(ready)
            if halt(min(shared.next_step.value, stop)):
                with shared.next_step.get_lock():  # steps already taken are finished
                    shared.stop.value = min(shared.next_step.value, stop)
        taken = shared.stop.value - start
        return Done(shared.losses[:taken].tolist(), shared.norms[:taken].tolist())

    def _hear(self, connection: Connection) -> None:
        with self._reporting_dead_workers():
            waited, trouble = connection.recv()
        self.waited += waited / len(self.connections)
        if trouble:
            raise RuntimeError(f"a worker failed:\n{trouble}")

    @contextlib.contextmanager
    def _reporting_dead_workers(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError):
            for process in self.processes:
                process.join(0.5)
            codes = [p.exitcode for p in self.processes if p.exitcode is not None]
            raise UserError(
                f"a worker process died (exit code {codes}); the weights may be half-updated",
                fix="continue from the last checkpoint: --resume",
            ) from None

    def close(self) -> None:
        for connection in self.connections:
            connection.close()  # a worker whose connection is closed exits
        for process in self.processes:
            process.join(5)
            if process.is_alive():
                process.kill()


def _shared(tensor: Tensor) -> Tensor:
    return tensor.share_memory_()  # type: ignore[no-untyped-call,no-any-return]


def _work(
    connection: Connection,
    stepper: Stepper,
    batches: TrainingBatches,
    shared: Shared,
    threads: int,
) -> None:
    """The life of a worker."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process decides when to stop
    torch.set_num_threads(threads)
    feed = Feed(batches.plan, stepper.device, threads=1, ahead=1)
    with contextlib.suppress(EOFError, OSError):
        while True:
            start, rates = connection.recv()
            waited, trouble = feed.waited, ""
            try:
                for step, batch in feed.over(_claims(shared)):
                    questions, wrong = batches.questions(step), batches.wrong(step)
                    loss = stepper.gradient(step, batch, questions=questions, wrong=wrong)
                    with shared.update:
                        norm = stepper.update(rates[step - start])
                    shared.losses[step - start], shared.norms[step - start] = loss, norm
            except Exception:
                trouble = traceback.format_exc()
            connection.send((feed.waited - waited, trouble))


def _claims(shared: Shared) -> Iterator[int]:
    """The steps that this worker gets; no other worker gets them."""
    while True:
        with shared.next_step.get_lock():
            step = shared.next_step.value
            if step >= shared.stop.value:
                return
            shared.next_step.value = step + 1
        yield step
