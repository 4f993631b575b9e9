"""Training in few bits: the forward and backward passes see the weights as a file of 4 bits, or 3,
has them.

The gradient, found at the rounded weights, is applied to the weights as they were before. So small
updates add up until a weight rounds to another number, and the reader learns to do with what will
be stored. Validation always sees rounded weights: the best reader is the best in so few bits.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from cloze.errors import UserError
from cloze.few_bits import FewBits
from cloze.readers.config import ReaderConfig
from cloze.readers.counting import used_weights
from cloze.readers.network import Network
from cloze.readers.rounded import round_all
from cloze.training.settings import RunSettings


class InFewBits:
    def __init__(
        self,
        network: Network,
        config: ReaderConfig,
        first_word: int,
        bits: FewBits,
        begin: int = 0,
    ) -> None:
        """From the step `begin` on, steps see rounded weights."""
        used = used_weights(network, config, first_word)
        trained = {n for n, weight in network.named_parameters() if weight.requires_grad}
        # They share their memory.
        self._changing = {n: w.detach() for n, w in used.items() if n in trained}
        self._kept = {n: w.detach() for n, w in used.items() if n not in trained}
        self.bits, self.begin = bits, begin
        # What training does not change: as it is, and rounded only once.
        self._exact = [weight.clone() for weight in self._kept.values()]
        rounded = {name: weight.clone() for name, weight in self._kept.items()}
        round_all(rounded, bits)
        self._rounded = list(rounded.values())

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
        changing, kept = list(self._changing.values()), list(self._kept.values())
        before = [weight.clone() for weight in changing]
        self.round()
        try:
            yield
        finally:
            torch._foreach_copy_(changing, before)
            if kept:
                torch._foreach_copy_(kept, self._exact)

    def round(self) -> None:
        round_all(self._changing, self.bits)
        if self._kept:
            torch._foreach_copy_(list(self._kept.values()), self._rounded)


def first_step(run: RunSettings, last_step: int | None) -> int:
    """The first step that sees rounded weights."""
    if run.workers is not None:  # they read the weights while another one changes them
        raise UserError("run.workers and run.bits cannot be combined")
    if run.bits_after == 0:
        return 0
    if last_step is None:
        raise UserError(
            "when rounding begins depends on the length of the run",
            where="run.bits_after",
            fix="give run.steps or run.epochs",
        )
    return math.ceil(run.bits_after * last_step)
