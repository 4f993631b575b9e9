"""A pass of the recurrence one step after another: cuBLAS multiplies, a small kernel does the rest.

For layers and batches so large that a step's product takes longer than to queue it. `plan.py` says
when that is so, `portable_kernels/step_forward.cuh` and `step_backward.cuh` are the kernels.
"""

import ctypes
from collections.abc import Callable

import torch
from torch import Tensor

from cloze.recurrence.plan import Plan


def buffers(plan: Plan, batch: int, directions: int, like: Tensor) -> dict[str, Tensor]:
    """What the steps hand on to each other. Nothing is read there that was not written before."""
    H, parts = plan.hidden, plan.parts
    rows = (directions * parts, batch)
    read, made = (H, 4 * H) if plan.forward else (4 * H // parts, H)
    return {
        "operand": like.new_empty(*rows, read),
        "product": like.new_empty(*rows, made),
        "carried": like.new_empty(directions, batch, H, dtype=torch.float32),
    }


def walk(
    plan: Plan,
    work: ctypes.Structure,
    weights: Tensor,  # [D, 4H, H]
    own: dict[str, Tensor],
    queue: Callable[[], None],
) -> None:
    """All steps of a pass; `queue` queues the kernel for the step that `work` names."""
    steps = range(work.T) if plan.forward else range(work.T - 1, -1, -1)
    W = weights.transpose(1, 2) if plan.forward else weights.view(
        len(weights) * plan.parts, -1, plan.hidden
    )  # fmt: skip
    operand, product, multiply = own["operand"], own["product"], torch.bmm
    begun = False
    for step in steps:  # a GPU is waiting: nothing here that need not be
        if begun:
            multiply(operand, W, out=product)
        begun = True
        work.step = step
        queue()
