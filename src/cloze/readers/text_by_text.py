"""Attention for training on a CPU in 16 bits, text by text.

PyTorch's own attention on a CPU computes in 32 bits what comes between its products, block by
block. The scores of one text in 16 bits stay in the cache, so two plain products and a softmax
take about half of its time (`benchmarks/cpu_attention.py`). Nothing of them is kept for the
backward pass, which computes them again: filling fresh memory would take longer. Rounding a score
to 16 bits is what answers in 8 bits do too (`cloze.readers.quick_layer`).
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F


def attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    """As PyTorch has it: q, k, v [B, heads, T, D]; bias is added to the scores, [B or 1, heads or
    1, T or 1, T], and has no gradient."""
    if q.device.type != "cpu" or q.dtype != torch.bfloat16 or bias is None or bias.requires_grad:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    with torch.autocast("cpu", enabled=False):
        y: Tensor = _TextByText.apply(q, k, v, bias.expand(len(q), -1, -1, -1))  # type: ignore[no-untyped-call]
    return y


class _TextByText(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(q, k, v, bias)
        y, weights = torch.empty_like(q), _for_one_text(q)
        for b in range(len(q)):
            torch.bmm(_weights(q[b], k[b], bias[b], weights), v[b], out=y[b])
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """With p = softmax(s), s = q kᵀ / √D + bias and y = p v:

        dv = pᵀ dy,  ds = p ∘ (dy vᵀ - Σ over the row of p ∘ dy vᵀ),  dq = ds k / √D,
        dk = dsᵀ q / √D
        """
        q, k, v, bias = ctx.saved_tensors
        (dy,) = gradients
        dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
        weights, ds = _for_one_text(q), _for_one_text(q)
        scale = q.shape[3] ** -0.5
        for b in range(len(q)):
            p = _weights(q[b], k[b], bias[b], weights)
            torch.bmm(p.transpose(1, 2), dy[b], out=dv[b])
            torch.bmm(dy[b], v[b].transpose(1, 2), out=ds)
            torch._softmax_backward_data(ds, p, 2, p.dtype, grad_input=ds)
            torch.bmm(ds, k[b], out=dq[b]).mul_(scale)
            torch.bmm(ds.transpose(1, 2), q[b], out=dk[b]).mul_(scale)
        return dq, dk, dv, None


def _for_one_text(q: Tensor) -> Tensor:
    """Room for the scores of one text, [heads, T, T]."""
    return q.new_empty(q.shape[1], q.shape[2], q.shape[2])


def _weights(q: Tensor, k: Tensor, bias: Tensor, out: Tensor) -> Tensor:
    """What each token looks at, [heads, T, T]."""
    torch.baddbmm(bias, q, k.transpose(1, 2), alpha=q.shape[2] ** -0.5, out=out)
    return torch.softmax(out, 2, out=out)
