"""A running mean of the weights, which is what is validated and left.

After step t, with decay d and the weights w,

    a = d(t) a + (1 - d(t)) w        d(t) = min(d, (1 + t) / (10 + t))

so that the mean first follows the weights closely and then spans about 1 / (1 - d) steps. The steps
themselves never see it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.training.settings import RunSettings


class Averaged:
    def __init__(self, network: nn.Module, decay: float) -> None:
        trained = {name: w for name, w in network.named_parameters() if w.requires_grad}
        self.weights = {name: weight.detach() for name, weight in trained.items()}  # shared memory
        self.means = {name: weight.clone() for name, weight in self.weights.items()}
        self.decay = decay

    @classmethod
    def of(cls, run: RunSettings, network: nn.Module) -> "Averaged | None":
        if run.average is None:
            return None
        if run.workers is not None:  # no step of theirs sees the weights of its own number
            raise UserError("run.workers and run.average cannot be combined")
        return cls(network, run.average)

    def follow(self, step: int) -> None:
        """Take in the weights after this step."""
        share = 1.0 - min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(list(self.means.values()), list(self.weights.values()), share)

    @contextmanager
    def now(self) -> Iterator[None]:
        """Meanwhile the network has the mean of its weights."""
        weights = list(self.weights.values())
        before = [weight.clone() for weight in weights]
        torch._foreach_copy_(weights, list(self.means.values()))
        try:
            yield
        finally:
            torch._foreach_copy_(weights, before)

    def load(self, means: dict[str, Tensor]) -> None:
        torch._foreach_copy_(list(self.means.values()), [means[name] for name in self.means])
