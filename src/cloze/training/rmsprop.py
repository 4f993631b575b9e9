"""RmsProp as the paper uses it, and Adam as our own option.

With gradient ε of a weight w, decay ℵ, momentum ℶ and rate λ (the symbols of Graves 2013):

    n = ℵ n + (1 - ℵ) ε²                        the running mean of the square
    g = ℵ g + (1 - ℵ) ε                         its mean, only when centred
    Δ = ℶ Δ - λ ε / (sqrt(n - g²) + e)          optionally, e is inside the root
    w = w + Δ

The rate is inside Δ, so a schedule never rescales steps that were already taken. On a GPU the
parameters are updated by a handful of fused kernels, large ones by a kernel each. On a CPU they are
updated block by block, so that all passes over a block find it in the cache. Nothing is ever read
back from the device.
"""

import importlib.util
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

import torch
from torch import Tensor, nn
from torch.optim.adam import adam

from cloze.errors import UserError

LARGE = 1 << 20  # a tensor with more weights gets a kernel of its own
BLOCK = 1 << 15  # floats; the four arrays of a block fit a 512 KiB second-level cache


class Optimiser(Protocol):
    """What the trainer needs from an optimiser."""

    def step(self, rate: float, clip: float | None) -> Tensor:
        """Update all parameters, clear their gradients, and return the norm before clipping."""
        ...

    def state(self) -> dict[str, Tensor]: ...

    def load(self, state: dict[str, Tensor]) -> None: ...


class RmsProp:
    def __init__(
        self,
        parameters: Iterable[tuple[str, nn.Parameter]],
        *,
        decay: float = 0.95,
        momentum: float = 0.9,
        epsilon: float = 1e-8,
        epsilon_inside: bool = False,
        centred: bool = False,
    ) -> None:
        self.names, self.weights = _trained(parameters)
        self.decay, self.momentum, self.epsilon = decay, momentum, epsilon
        self.epsilon_inside, self.centred = epsilon_inside, centred
        self.squares = [torch.zeros_like(w) for w in self.weights]  # n
        self.means = [torch.zeros_like(w) for w in self.weights] if centred else []  # g
        self.moves = [torch.zeros_like(w) for w in self.weights]  # Δ

    @torch.no_grad()
    def step(self, rate: float, clip: float | None = None) -> Tensor:
        gradients = _gradients(self.weights)
        norm, scale = _norm_and_scale(gradients, clip)
        lists = [self.weights, gradients, self.squares, self.moves, *([self.means] * self.centred)]
        if _triton_here(self.weights):
            lists = self._advance_large(rate, scale, lists)
        for group in _groups(lists):
            self._advance(rate, scale, *group)
        _clear(self.weights)
        return norm

    def _advance_large(
        self, rate: float, scale: Tensor | None, lists: list[list[Tensor]]
    ) -> list[list[Tensor]]:
        """Update the large tensors with a kernel each; return the lists without them."""
        from cloze.training.fused import advance

        scale = torch.ones((), device=lists[0][0].device) if scale is None else scale
        rest = []
        for tensors in zip(*lists, strict=True):
            if tensors[0].numel() < LARGE:
                rest.append(tensors)
                continue
            weight, gradient, square, move, *mean = tensors
            advance(
                weight,
                gradient,
                square,
                move,
                mean[0] if self.centred else None,
                scale,
                rate=rate,
                decay=self.decay,
                momentum=self.momentum,
                epsilon=self.epsilon,
                epsilon_inside=self.epsilon_inside,
            )
        return [list(column) for column in zip(*rest, strict=True)] or [[] for _ in lists]

    def _advance(
        self,
        rate: float,
        scale: Tensor | None,
        weights: list[Tensor],
        gradients: list[Tensor],
        squares: list[Tensor],
        moves: list[Tensor],
        means: list[Tensor] | None = None,
    ) -> None:
        if scale is not None:
            torch._foreach_mul_(gradients, scale)
        torch._foreach_mul_(squares, self.decay)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1 - self.decay)
        if means is None:
            spread = (
                torch._foreach_add(squares, self.epsilon)
                if self.epsilon_inside
                else torch._foreach_sqrt(squares)
            )
        else:
            torch._foreach_lerp_(means, gradients, 1 - self.decay)
            spread = torch._foreach_addcmul(squares, means, means, value=-1)
            # Rounding may leave n - g² slightly below zero where the gradient never changes.
            torch._foreach_clamp_min_(spread, 0.0)
            if self.epsilon_inside:
                torch._foreach_add_(spread, self.epsilon)
        if means is not None or self.epsilon_inside:
            torch._foreach_sqrt_(spread)
        if not self.epsilon_inside:
            torch._foreach_add_(spread, self.epsilon)
        torch._foreach_mul_(moves, self.momentum)
        torch._foreach_addcdiv_(moves, gradients, spread, value=-rate)
        torch._foreach_add_(weights, moves)

    def state(self) -> dict[str, Tensor]:
        kinds = {"square": self.squares, "move": self.moves, "mean": self.means}
        return _named(self.names, kinds)

    def load(self, state: dict[str, Tensor]) -> None:
        _restore(self.state(), state)


class Adam:
    """Kingma and Ba's Adam with PyTorch's kernel: our own option, not the paper's.

    It uses PyTorch's function instead of its class because asynchronous workers share one count of
    the steps, which is also in the checkpoints.
    """

    def __init__(
        self,
        parameters: Iterable[tuple[str, nn.Parameter]],
        *,
        decays: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        self.names, self.weights = _trained(parameters)
        self.decays, self.epsilon, self.weight_decay = decays, epsilon, weight_decay
        self.matrices = [w for w in self.weights if w.ndim > 1]  # vectors do not shrink
        self.means = [torch.zeros_like(w) for w in self.weights]
        self.squares = [torch.zeros_like(w) for w in self.weights]
        self.steps = torch.zeros(1, dtype=torch.int64)

    @torch.no_grad()
    def step(self, rate: float, clip: float | None = None) -> Tensor:
        gradients = _gradients(self.weights)
        norm, scale = _norm_and_scale(gradients, clip)
        # The kernel has a count for each weight, and adds the current step to it.
        taken = torch.full((len(self.weights),), float(self.steps), device=norm.device)
        self.steps += 1
        if self.weight_decay and self.matrices:  # as AdamW has it, apart from the gradient
            torch._foreach_mul_(self.matrices, 1.0 - rate * self.weight_decay)
        adam(
            self.weights,
            gradients,
            self.means,
            self.squares,
            [],
            list(taken.unbind()),
            fused=True,
            grad_scale=None if scale is None else 1 / scale,  # the kernel divides by it
            lr=rate,
            beta1=self.decays[0],
            beta2=self.decays[1],
            eps=self.epsilon,
            weight_decay=0.0,
            amsgrad=False,
            maximize=False,
        )
        _clear(self.weights)
        return norm

    def state(self) -> dict[str, Tensor]:
        kinds = {"mean": self.means, "square": self.squares}
        return {**_named(self.names, kinds), "steps": self.steps}

    def load(self, state: dict[str, Tensor]) -> None:
        _restore(self.state(), state)


def _trained(parameters: Iterable[tuple[str, nn.Parameter]]) -> tuple[list[str], list[Tensor]]:
    pairs = [(name, weight) for name, weight in parameters if weight.requires_grad]
    return [name for name, _ in pairs], [weight for _, weight in pairs]


def _triton_here(weights: list[Tensor]) -> bool:
    return bool(weights) and weights[0].is_cuda and importlib.util.find_spec("triton") is not None


def _gradients(weights: list[Tensor]) -> list[Tensor]:
    """A gradient for each weight, in the weight's memory order, since kernels walk both at once.

    A weight that the batch did not reach has gradient zero; its momentum still moves it.
    """
    return [
        torch.zeros_like(w)
        if w.grad is None
        else w.grad
        if w.grad.stride() == w.stride()
        else torch.empty_like(w).copy_(w.grad)
        for w in weights
    ]


def _clear(weights: list[Tensor]) -> None:
    for weight in weights:
        weight.grad = None


def _norm_and_scale(gradients: list[Tensor], clip: float | None) -> tuple[Tensor, Tensor | None]:
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    return norm, None if clip is None else (clip / (norm + 1e-6)).clamp(max=1.0)


def _groups(lists: list[list[Tensor]]) -> Iterator[list[list[Tensor]]]:
    """All tensors at once on a GPU; on a CPU a cache's worth at a time."""
    if not lists[0]:
        return
    if lists[0][0].is_cuda:
        yield lists
        return
    block = BLOCK * torch.get_num_threads()
    for tensors in zip(*lists, strict=True):
        for parts in zip(*(tensor.view(-1).split(block) for tensor in tensors), strict=True):
            yield [[part] for part in parts]


def _named(names: list[str], kinds: dict[str, list[Tensor]]) -> dict[str, Tensor]:
    return {
        f"{kind}.{name}": tensor
        for kind, tensors in kinds.items()
        for name, tensor in zip(names, tensors, strict=bool(tensors))
    }


@torch.no_grad()
def _restore(own: dict[str, Tensor], saved: dict[str, Tensor]) -> None:
    if own.keys() != saved.keys() or any(own[k].shape != saved[k].shape for k in own):
        raise UserError(
            "the optimiser's state belongs to another reader or optimiser",
            fix="start a new run, or restore the config of this one",
        )
    for name, tensor in own.items():
        tensor.copy_(saved[name])


def learning_rate(
    step: int,
    *,
    base: float,
    schedule: Literal["constant", "linear", "inverse", "plateau"],
    warmup: int,
    steps: int | None,
    half_life: int,
    halvings: int,
) -> float:
    """The rate of a step (counted from 0): a pure function, so that a resumed run has the same.

    constant: λ.  linear: falls to 0 at the last step.  inverse: λ / (1 + step / half_life).
    plateau: λ / 2^halvings, one halving each time validation stops improving.
    """
    rate = base
    if schedule == "linear":
        if steps is None:
            raise UserError("the linear schedule needs to know the end", fix="give run.steps")
        rate *= max(0.0, 1 - step / steps)
    elif schedule == "inverse":
        rate /= 1 + step / half_life
    elif schedule == "plateau":
        rate /= 2**halvings
    return rate * min(1.0, (step + 1) / warmup) if warmup else rate
