"""The recurrence for autograd, however its two passes are computed.

A pass over time yields the gradients of the gates' inputs; each weight's gradient is then one large
matrix product. The activated gates, the cells and the outputs are saved between the passes. The
gates are overwritten by their gradients, so the backward pass can run only once.
"""

from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class Recurrence(torch.autograd.Function):
    """h from projected inputs that belong to the caller."""

    @staticmethod
    def forward(
        ctx: Any,
        projected: Tensor,
        recurrent: Tensor,
        peepholes: Tensor,
        lengths: Tensor,
        reverse: tuple[bool, ...],
        passes: ModuleType,
        keep: bool,
    ) -> Tensor:
        hidden, gates, cells = passes.forward_pass(
            projected, recurrent, peepholes, lengths, reverse, keep=keep, overwrite=False
        )
        if keep:
            ctx.save_for_backward(hidden, gates, cells, recurrent, peepholes, lengths)
            ctx.reverse, ctx.passes, ctx.spent = reverse, passes, False
        return hidden  # type: ignore[no-any-return]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_hidden: Tensor) -> tuple[Tensor | None, ...]:
        hidden, gates, cells, recurrent, peepholes, lengths = ctx.saved_tensors
        _, d_peepholes, d_recurrent = _walk_back(
            ctx, grad_hidden, hidden, gates, cells, recurrent, peepholes, lengths
        )
        return gates, d_recurrent, d_peepholes, None, None, None, None


class ProjectedRecurrence(torch.autograd.Function):
    """h from the inputs x: the projections live in one buffer, as gates and then as gradients."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,  # [T, B, I]
        W_x: Tensor,  # [D * 4H, I]
        bias: Tensor,  # [D * 4H]
        recurrent: Tensor,
        peepholes: Tensor,
        lengths: Tensor,
        reverse: tuple[bool, ...],
        passes: ModuleType,
        keep: bool,
    ) -> Tensor:
        D, gate_rows, _ = recurrent.shape
        project = getattr(passes, "project", _project)
        projected = project(x, W_x, bias)
        hidden, gates, cells = passes.forward_pass(
            projected.view(*x.shape[:2], D, gate_rows),
            recurrent,
            peepholes,
            lengths,
            reverse,
            keep=keep,
            overwrite=True,
        )
        if keep:
            ctx.save_for_backward(hidden, gates, cells, recurrent, peepholes, lengths, x, W_x)
            ctx.reverse, ctx.passes, ctx.spent, ctx.bias_dtype = reverse, passes, False, bias.dtype
        return hidden  # type: ignore[no-any-return]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_hidden: Tensor) -> tuple[Tensor | None, ...]:
        *kept, x, W_x = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:2]
        of_inputs = gradients_of_inputs(ctx, grad_hidden, tuple(kept), x, W_x, wanted)
        return *of_inputs, None, None, None, None


def gradients_of_inputs(
    ctx: Any,
    grad_hidden: Tensor,
    kept: tuple[Tensor, ...],
    x: Tensor,
    W_x: Tensor,
    wanted: tuple[bool, bool],
) -> tuple[Tensor | None, ...]:
    """Gradients of x and W_x, if wanted, and of the bias, W_h and the peepholes."""
    _, gates, *_ = kept
    d_bias, d_peepholes, d_recurrent = _walk_back(ctx, grad_hidden, *kept)
    d_projected = gates.flatten(2).flatten(0, 1)  # [T * B, D * 4H]
    d_x = (d_projected @ W_x).view_as(x) if wanted[0] else None
    d_W_x = d_projected.T @ x.flatten(0, 1) if wanted[1] else None
    return d_x, d_W_x, d_bias.flatten().to(ctx.bias_dtype), d_recurrent, d_peepholes


def _project(x: Tensor, W_x: Tensor, bias: Tensor) -> Tensor:
    return torch.addmm(bias, x.flatten(0, 1), W_x.T)


def _walk_back(
    ctx: Any,
    grad_hidden: Tensor,
    hidden: Tensor,
    gates: Tensor,
    cells: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of bias, peepholes and W_h; the gates are overwritten by their gradients."""
    once(ctx)
    d_bias, d_peepholes = ctx.passes.backward_pass(
        grad_hidden, gates, cells, recurrent, peepholes, lengths, ctx.reverse
    )
    d_recurrent = recurrent_gradient(gates, hidden, ctx.reverse).to(recurrent.dtype)
    return d_bias, d_peepholes.to(peepholes.dtype), d_recurrent


def once(ctx: Any) -> None:
    """Refuse to walk back twice."""
    if ctx.spent:
        raise RuntimeError(
            "the recurrence's backward pass has already run and overwritten its saved gates: "
            "run the forward pass again instead of backward(retain_graph=True)"
        )
    ctx.spent = True


def recurrent_gradient(d_gates: Tensor, hidden: Tensor, reverse: tuple[bool, ...]) -> Tensor:
    """dL/dW_h [D, 4H, H]: each step's gate gradients times the outputs of the step before."""
    T, B, D, H = hidden.shape
    products = hidden.new_empty(D, 4 * H, H)
    each = (d_gates.flatten(0, 1).unbind(1), hidden.flatten(0, 1).unbind(1), products.unbind())
    rows = (T - 1) * B
    for d, (gradients, h, product) in enumerate(zip(*each, strict=True)):
        # Beyond a sequence's end h is zero, so its first step gets no state from the padding.
        now, before = (0, B) if reverse[d] else (B, 0)
        torch.mm(gradients.narrow(0, now, rows).T, h.narrow(0, before, rows), out=product)
    return products
