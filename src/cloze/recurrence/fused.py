"""A layer of the peephole LSTM on a CPU, from its inputs, with all its products in one place.

A thread projects the inputs of a few steps of its rows just before it takes them through those
steps, and multiplies the gates' gradients with all they must be multiplied with just after it has
found them. So nothing waits in memory but what training keeps, and no thread for another.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from cloze.recurrence import cpu
from cloze.recurrence.cpu import of_bias_and_peepholes
from cloze.recurrence.gradients import gradients_of_inputs, once
from cloze.recurrence.loops import compiled, nothing, plain, rows, whole_blocks
from cloze.recurrence.reused import empty
from cloze.recurrence.shares import Share, at_once, busy, shares


class FusedRecurrence(torch.autograd.Function):
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
        keep: bool,
    ) -> Tensor:
        x = x.contiguous()
        weights = (W_x, recurrent, peepholes)
        hidden, gates, cells = _forward(x, bias, weights, lengths, reverse, keep)
        if keep:
            ctx.save_for_backward(hidden, gates, cells, recurrent, peepholes, lengths, x, W_x)
            ctx.reverse, ctx.passes, ctx.spent, ctx.bias_dtype = reverse, cpu, False, bias.dtype
        return hidden

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_hidden: Tensor) -> tuple[Tensor | None, ...]:
        *kept, x, W_x = ctx.saved_tensors
        hidden, gates, cells, recurrent, peepholes, lengths = kept
        if busy(x.shape[1], len(recurrent)) < 1:  # then the large products want all threads
            wanted = ctx.needs_input_grad[:2]
            of_inputs = gradients_of_inputs(ctx, grad_hidden, tuple(kept), x, W_x, wanted)
            return *of_inputs, None, None, None
        once(ctx)  # the gates are still there this time
        d_x, d_W_x, d_bias, d_recurrent, d_peepholes = _backward(
            grad_hidden.to(x.dtype).contiguous(),
            (hidden, gates, cells),
            x,
            (W_x, recurrent, peepholes),
            lengths,
            ctx.reverse,
            ctx.needs_input_grad[0],
        )
        return (
            d_x,
            d_W_x.to(W_x.dtype),
            d_bias.flatten().to(ctx.bias_dtype),
            d_recurrent.to(recurrent.dtype),
            d_peepholes.to(peepholes.dtype),
            *3 * (None,),
        )


def _forward(
    x: Tensor,
    bias: Tensor,
    weights: tuple[Tensor, Tensor, Tensor],
    lengths: Tensor,
    reverse: tuple[bool, ...],
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """h, and with `keep` the activated gates and the cells; otherwise none of them."""
    W_x, recurrent, peepholes = (plain(one, x) for one in weights)
    (T, B, size), (D, _, H) = x.shape, recurrent.shape
    gates, cells = (empty(x, T if keep else 0, B, D, wide) for wide in (4 * H, H))
    hidden = empty(x, T, B, D, H)
    b, W_x = plain(bias, x).reshape(D, 4 * H), W_x.reshape(D, 4 * H, size)
    walk = compiled("forward", x.dtype)
    tokens, arrays = rows(x), [rows(one) for one in (gates, cells, hidden)]

    def take(share: Share) -> None:
        d, first, lengths = share
        place = (first, lengths, B * D, D, reverse[d])
        walk(tokens, b[d], W_x[d], *arrays, recurrent[d], peepholes[d], *place, False)

    at_once(take, shares(lengths, D, torch.get_num_threads()))
    return hidden, gates, cells


def _backward(
    grad_hidden: Tensor,
    kept: tuple[Tensor, Tensor, Tensor],
    x: Tensor,
    weights: tuple[Tensor, Tensor, Tensor],
    lengths: Tensor,
    reverse: tuple[bool, ...],
    for_x: bool,
) -> tuple[Tensor | None, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of x (if wanted), W_x, the bias, W_h and the peepholes."""
    hidden, gates, cells = kept
    W_x, recurrent, peepholes = (plain(one, x) for one in weights)
    (T, B, size), (D, _, H) = x.shape, recurrent.shape
    dealt = shares(lengths, D, torch.get_num_threads())
    sums = [np.zeros(7 * H) for _ in dealt]  # float64: they have many terms
    both = [x.new_empty(4 * H, whole_blocks(size + H, x.itemsize)).numpy() for _ in dealt]
    d_x = empty(x, D if for_x else 0, T, B, size)  # each direction's own
    W_x = W_x.reshape(D, 4 * H, size)
    walk = compiled("backward", x.dtype)
    arrays = [rows(one) for one in (grad_hidden, gates, cells, hidden, x)]

    def take(share: Share, total: Any, d_W: Any) -> None:
        d, first, lengths = share
        place = (first, lengths, B * D, D, reverse[d])
        own = rows(d_x[d]) if for_x else nothing(x)
        d_W.fill(0)
        walk(*arrays, W_x[d], recurrent[d], peepholes[d], *place, total, d_W, own)

    at_once(take, dealt, sums, both)
    # As `shares` deals them, each direction's are D apart.
    totals = [_sum(both[d::D]) for d in range(D)]
    d_W_x = torch.from_numpy(np.concatenate([one[:, :size] for one in totals]))
    d_recurrent = torch.from_numpy(np.stack([one[:, size : size + H] for one in totals]))
    d_bias, d_peepholes = of_bias_and_peepholes(dealt, sums, D, H)
    return _sum(d_x) if for_x else None, d_W_x, d_bias, d_recurrent, d_peepholes


def _sum(parts: Any) -> Any:
    """In the memory of the first."""
    for one in parts[1:]:
        parts[0] += one
    return parts[0]
