# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False
# mypy: disallow-untyped-decorators=False
# Triton's kernels are written in its own language.
"""RmsProp's update as one Triton kernel: each weight and its state pass through the GPU once.

PyTorch's fused list operations read and write about twenty times the size of the weights; this
kernel, eight times. With 60 million weights (the whole vocabulary at the paper's size), that is
most of an update.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 4096


def advance(
    weight: Tensor,
    gradient: Tensor,
    square: Tensor,  # n
    move: Tensor,  # Δ
    mean: Tensor | None,  # g, when centred
    scale: Tensor,  # of the gradient, from clipping; a number on the device
    *,
    rate: float,
    decay: float,
    momentum: float,
    epsilon: float,
    epsilon_inside: bool,
) -> None:
    count = weight.numel()
    with torch.no_grad():
        _advance[(triton.cdiv(count, BLOCK),)](
            weight,
            gradient.contiguous(),
            square,
            move,
            square if mean is None else mean,
            scale,
            count,
            rate,
            decay,
            1 - decay,
            momentum,
            epsilon,
            INSIDE=epsilon_inside,
            CENTRED=mean is not None,
            BLOCK=BLOCK,
        )


@triton.jit
def _advance(
    w_at,
    e_at,
    n_at,
    d_at,
    g_at,
    scale_at,
    count,
    rate,
    decay,
    rest,
    momentum,
    epsilon,
    INSIDE: tl.constexpr,
    CENTRED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    e = tl.load(e_at + at, inside, 0.0) * tl.load(scale_at)
    n = decay * tl.load(n_at + at, inside, 0.0) + rest * e * e
    tl.store(n_at + at, n, inside)
    spread = n
    if CENTRED:
        g = decay * tl.load(g_at + at, inside, 0.0) + rest * e
        tl.store(g_at + at, g, inside)
        spread = tl.maximum(n - g * g, 0.0)
    root = tl.sqrt(spread + epsilon) if INSIDE else tl.sqrt(spread) + epsilon
    move = momentum * tl.load(d_at + at, inside, 0.0) - rate * (e / root)
    tl.store(d_at + at, move, inside)
    tl.store(w_at + at, tl.load(w_at + at, inside, 0.0) + move, inside)
