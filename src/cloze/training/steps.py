"""Steps of training, one after the other, in this process.

A step is a pure function of the weights, the optimiser's state and the step's number: the order
gives its questions, and the markers and the dropout follow from (seed, step). The losses stay on
the device until they are asked for, so a GPU is never held up.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.layers import noise
from cloze.training.averaging import Averaged
from cloze.training.batches import Feed, TrainingBatches
from cloze.training.in_few_bits import InFewBits
from cloze.training.objective import Objective
from cloze.training.precision import SCALE, autocast, precision
from cloze.training.rmsprop import Adam, Optimiser, RmsProp
from cloze.training.settings import OptimiserSettings, TrainSettings

Rate = Callable[[int], float]


@dataclass(frozen=True)
class Done:
    """The result of a stretch of steps: the loss and the norm of the gradient for each step."""

    losses: list[float]
    norms: list[float]

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def first_bad(self) -> int | None:
        """The first step, counted within the stretch, whose loss or norm was not finite."""
        pairs = zip(self.losses, self.norms, strict=True)
        return next((k for k, pair in enumerate(pairs) if not all(map(math.isfinite, pair))), None)


class Engine(Protocol):
    """Takes the steps of a run: one after the other, or several at once on shared parameters."""

    @property
    def waited(self) -> float:
        """Seconds that the device spent waiting for data."""
        ...

    def run(self, start: int, stop: int, rate: Rate, halt: Callable[[int], bool]) -> Done:
        """Take the steps from `start` to `stop`, or until `halt` says to stop earlier."""
        ...

    def close(self) -> None: ...


def make_optimiser(settings: OptimiserSettings, network: nn.Module) -> Optimiser:
    if settings.name == "adam":
        return Adam(
            network.named_parameters(),
            decays=(0.9, settings.squares_decay),
            epsilon=settings.epsilon,
            weight_decay=settings.weight_decay,
        )
    return RmsProp(
        network.named_parameters(),
        decay=settings.decay,
        momentum=settings.momentum,
        epsilon=settings.epsilon,
        epsilon_inside=settings.epsilon_inside,
        centred=settings.centred,
    )


class Stepper:
    """Takes single steps on a network; the weight of a batch is this rank's share of it."""

    def __init__(
        self,
        network: nn.Module,
        reader: ReaderConfig,
        optimiser: Optimiser,
        settings: TrainSettings,
        device: torch.device,
        *,
        stream: tuple[int, ...] = (),  # gives each rank its own dropout
        objective: Objective | None = None,
        few_bits: InFewBits | None = None,
    ) -> None:
        self.network, self.optimiser = network, optimiser
        self.settings, self.device, self.stream = settings, device, stream
        self.objective = objective or Objective(reader)
        self.few_bits = few_bits
        self.scale = SCALE if settings.run.precision == "fp16" else 1.0

    def gradient(
        self,
        step: int,
        batch: Batch,
        share: float = 1.0,
        questions: np.ndarray | None = None,
        part: int = 0,
        wrong: np.ndarray | None = None,
    ) -> Tensor:
        """Add the gradient of the batch's loss to the parameters' and return the loss.

        `questions` says which ones the batch has; only a teacher needs to know. `wrong` are those
        that were put to another article. `part` of a step's batch has dropout of its own.
        """
        stream = (*self.stream, part) if part else self.stream
        masks = noise(self.settings.run.seed, step, *stream, device=self.device)
        rounded = nullcontext() if self.few_bits is None else self.few_bits.at(step)
        with precision(self.settings), rounded:
            with autocast(self.settings, self.device):
                seen = self.objective.watch()
                watched = () if seen is None else (seen,)  # which not every network knows
                logits, _ = self.network(batch, masks, *watched)
                value = self.objective(logits, batch, questions, wrong, seen)
            weight = share * self.scale
            (value * weight if weight != 1.0 else value).backward()  # type: ignore[no-untyped-call]
        return value.detach() * share

    def update(self, rate: float) -> Tensor:
        if self.scale != 1.0:
            gradients = [p.grad for p in self.network.parameters() if p.grad is not None]
            torch._foreach_div_(gradients, self.scale)
        return self.optimiser.step(rate, self.settings.optimiser.clip)


class Synchronous:
    """Runs stretches of steps in this process; threads make the batches ahead."""

    def __init__(
        self,
        stepper: Stepper,
        batches: TrainingBatches,
        first_step: int,
        averaged: Averaged | None = None,
    ) -> None:
        settings = stepper.settings.batches
        self.stepper, self.batches, self.averaged = stepper, batches, averaged
        self.feed = Feed(
            batches.plan, stepper.device, threads=settings.threads, ahead=settings.ahead
        )
        self._ahead: Iterator[tuple[int, Batch]] = self.feed.over(count(first_step * batches.parts))

    @property
    def waited(self) -> float:
        return self.feed.waited

    def run(self, start: int, stop: int, rate: Rate, halt: Callable[[int], bool]) -> Done:
        losses: list[Tensor] = []
        norms: list[Tensor] = []
        for step in range(start, stop):
            if halt(step):
                break
            losses.append(self._gradient(step))
            norms.append(self.stepper.update(rate(step)))
            if self.averaged is not None:
                self.averaged.follow(step)
        return Done(*(torch.stack(x).tolist() if x else [] for x in (losses, norms)))

    def _gradient(self, step: int) -> Tensor:
        """The loss of a step's batch, whose parts' gradients are added up."""
        losses = []
        for part in range(self.batches.parts):
            _, batch = next(self._ahead)
            questions, share = self.batches.questions(step, part), self.batches.share(step, part)
            wrong = self.batches.wrong(step, part)
            losses.append(self.stepper.gradient(step, batch, share, questions, part, wrong))
        return losses[0] if len(losses) == 1 else torch.stack(losses).sum()

    def close(self) -> None:
        self.feed.close()
