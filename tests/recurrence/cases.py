"""Random problems for the recurrence, the equations by hand, and how far two answers differ."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cloze.recurrence import peephole_lstm

NAMES = ("h", "projected", "recurrent", "peepholes")


class Problem(NamedTuple):
    projected: Tensor
    recurrent: Tensor
    peepholes: Tensor
    lengths: Tensor
    grad: Tensor
    reverse: tuple[bool, ...]

    def to(self, where: torch.dtype | str) -> "Problem":
        tensors = (self.projected, self.recurrent, self.peepholes)
        return Problem(
            *(t.to(where) for t in tensors), self.lengths, self.grad.to(where), self.reverse
        )


def problem(
    T: int,
    B: int,
    D: int,
    H: int,
    lengths: list[int] | None = None,
    seed: int = 0,
    reverse: tuple[bool, ...] = (False, True),
) -> Problem:
    """Float64 with values that float32 holds; lengths are random unless given, and one is T."""
    random = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random).double()

    drawn = torch.randint(1, T + 1, (B,), generator=random)
    drawn[-1] = T
    chosen = drawn if lengths is None else torch.tensor(lengths)
    return Problem(
        draw(T, B, D, 4 * H),
        (draw(D, 4 * H, H) / H**0.5).float().double(),
        (draw(D, 3, H) / 2).float().double(),
        chosen,
        draw(T, B, D, H),
        reverse[:D],
    )


def solve(p: Problem, implementation: str) -> dict[str, Tensor]:
    """h and all gradients, on the CPU."""
    device = "cuda" if implementation in ("hopper", "portable") else "cpu"
    inputs = [t.detach().to(device).requires_grad_() for t in p[:3]]
    h = peephole_lstm(*inputs, p.lengths, implementation=implementation, reverse=p.reverse)
    gradients = torch.autograd.grad(h, inputs, p.grad.to(device))
    answers = (h.detach(), *gradients)
    return {name: answer.cpu() for name, answer in zip(NAMES, answers, strict=True)}


def distance(found: Tensor, exact: Tensor) -> float:
    """The relative distance in the norm of the whole tensor; with any NaN it is infinite."""
    found, exact = found.detach().double(), exact.detach().double()
    gap = (found - exact).norm() / exact.norm().clamp_min(1e-30)
    return float(torch.nan_to_num(gap, nan=torch.inf))


def distances(found: dict[str, Tensor], exact: dict[str, Tensor]) -> dict[str, float]:
    return {name: distance(found[name], exact[name]) for name in NAMES}


def by_hand(p: Problem) -> np.ndarray:
    """One sequence after another, without padding: the equations in NumPy and float64."""

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 0.5 * (1 + np.tanh(x / 2))

    projected, W, w = (t.double().numpy() for t in p[:3])
    T, B, D, _ = projected.shape
    H = W.shape[2]
    output = np.zeros((T, B, D, H))
    for b in range(B):
        for d in range(D):
            W_hi, W_hf, W_hc, W_ho = W[d].reshape(4, H, H)
            w_ci, w_cf, w_co = w[d]
            h, c = np.zeros(H), np.zeros(H)
            tokens = list(range(int(p.lengths[b])))
            for t in reversed(tokens) if p.reverse[d] else tokens:
                p_i, p_f, p_c, p_o = projected[t, b, d].reshape(4, H)
                i = sigmoid(p_i + W_hi @ h + w_ci * c)
                f = sigmoid(p_f + W_hf @ h + w_cf * c)
                c = f * c + i * np.tanh(p_c + W_hc @ h)
                o = sigmoid(p_o + W_ho @ h + w_co * c)
                h = o * np.tanh(c)
                output[t, b, d] = h
    return output
