"""Training in 4 bits: the forward and backward passes see the weights as a file of 4 bits has them.

The gradient, found at the rounded weights, is applied to the weights as they were before. So small
updates add up until a weight rounds to another number, and the reader learns to do with what will
be stored. Validation always sees rounded weights: the best reader is the best in 4 bits.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from cloze.errors import UserError
from cloze.readers.config import ReaderConfig
from cloze.readers.counting import used_weights
from cloze.readers.network import Network
from cloze.readers.rounded import round_all
from cloze.training.settings import RunSettings


class FourBits:
    def __init__(
        self, network: Network, config: ReaderConfig, first_word: int, begin: int = 0
    ) -> None:
        """From the step `begin` on, steps see rounded weights."""
        used = used_weights(network, config, first_word)
        self.weights = [weight.detach() for weight in used.values()]  # they share their memory
        self.begin = begin

    @contextmanager
    def at(self, step: int) -> Iterator[None]:
        """A step's forward and backward pass."""
        if step < self.begin:
            yield
            return
        with self.now():
            yield

    @contextmanager
    def now(self) -> Iterator[None]:
        """Meanwhile the weights are rounded."""
        before = [weight.clone() for weight in self.weights]
        self.round()
        try:
            yield
        finally:
            torch._foreach_copy_(self.weights, before)

    def round(self) -> None:
        round_all(self.weights)


def first_step(run: RunSettings, last_step: int | None) -> int | None:
    """The first step in 4 bits; None if the run stays in 32."""
    if run.four_bits_after is None:
        return None
    if run.workers is not None:  # they read the weights while another one changes them
        raise UserError("run.workers and run.four_bits_after cannot be combined")
    if last_step is None:
        raise UserError(
            "when 4 bits begin depends on the length of the run",
            where="run.four_bits_after",
            fix="give run.steps or run.epochs",
        )
    return math.ceil(run.four_bits_after * last_step)
