"""The Impatient Reader's loop over the query on a GPU, in fused kernels.

One step i of the query, for each document b:

    q     = W_qm y_q(i) + W_rm r(i-1)               [M]    a small product, left to the library
    e(t)  = w_ms · tanh(D(t) + q)                   [Td]   `_scores`:  reads D once, writes no m
    s     = softmax(e)
    r(i)  = y_d s + tanh(W_rr r(i-1))               [R]    `_read`:    reads y_d once

In the backward pass, with g the gradient of r(i):

    gs(t) = y_d(t) · g                              [Td]   `_look_back`
    ge    = s (gs - s·gs)
    gq    = w_ms Σ_t ge(t) (1 - m(t)²)              [M]    `_query_gradient`

What the steps add to the gradients of D, w_ms and y_d needs no order, so it is summed over all
steps at the end: D in one kernel that reads D once (`_document_gradient`), y_d in one product.
Every sum has a fixed order; nothing is added atomically.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

BLOCK_T = 32  # document tokens that one program handles at a time
BLOCK_M = 64  # units of m or r


class FusedRereading(torch.autograd.Function):
    """Like `kinds.impatient.Rereading`; D and y_d may be bfloat16, the rest is float32."""

    @staticmethod
    def forward(
        ctx: Any,
        D: Tensor,  # [Td, B, M]
        Q: Tensor,  # [Tq, B, M]
        y_d: Tensor,  # [Td, B, R]
        r_0: Tensor,  # [R]
        W_rm: Tensor,  # [M, R]
        W_rr: Tensor,  # [R, R]
        w_ms: Tensor,  # [M]
        lengths: Tensor,  # [B], of the documents
        no_query: Tensor,  # bool [Tq, B]
    ) -> tuple[Tensor, Tensor]:
        D, y_d = D.contiguous(), y_d.contiguous()
        Q, r_0, W_rm, W_rr, w_ms = (t.float() for t in (Q, r_0, W_rm, W_rr, w_ms))
        (length, batch, m_size), steps, r_size = D.shape, len(Q), y_d.shape[2]
        r = Q.new_empty(steps + 1, batch, r_size)
        r[0] = r_0
        q, s = torch.empty_like(Q), Q.new_empty(steps, length, batch)
        e = torch.empty_like(s[0]) if steps else s
        with torch.autocast(D.device.type, enabled=False):
            for i in range(steps):
                q[i] = torch.addmm(Q[i], r[i], W_rm.t())
                kept = torch.tanh(r[i] @ W_rr.t())
                _scores[(batch, triton.cdiv(length, BLOCK_T))](
                    D, q[i], w_ms, lengths, e, length, batch, m_size, BLOCK_T, BLOCK_M
                )
                _read[(batch, triton.cdiv(r_size, BLOCK_M))](
                    e, y_d, kept, r[i], no_query[i], lengths, s[i], r[i + 1],
                    length, batch, r_size, BLOCK_T, BLOCK_M,
                )  # fmt: skip
        ctx.save_for_backward(D, y_d, q, W_rm, W_rr, w_ms, lengths, s, r, no_query)
        ctx.mark_non_differentiable(s)
        return r[steps].clone(), s

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gr: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        D, y_d, q, W_rm, W_rr, w_ms, lengths, s, r, no_query = ctx.saved_tensors
        (length, batch, m_size), steps, r_size = D.shape, len(q), y_d.shape[2]
        blocks = triton.cdiv(length, BLOCK_T)
        ge, gq, gV, reads = (torch.empty_like(x) for x in (s, q, r[:steps], r[:steps]))
        gs = torch.empty_like(s[0])
        gr = gr.float()
        for i in reversed(range(steps)):
            stay = no_query[i, :, None]
            reads[i] = gr.masked_fill(stay, 0.0)  # the gradient of r(i) where step i happened
            _look_back[(batch, blocks)](
                y_d, reads[i], lengths, gs, length, batch, r_size, BLOCK_T, BLOCK_M
            )
            ge[i] = s[i] * (gs - (s[i] * gs).sum(0))
            _query_gradient[(batch, triton.cdiv(m_size, BLOCK_M))](
                D, q[i], w_ms, ge[i], lengths, gq[i], batch, m_size, BLOCK_T, BLOCK_M
            )
            v = torch.tanh(r[i] @ W_rr.t())
            gV[i] = reads[i] * (1.0 - v * v)
            gr = gr * stay + gq[i] @ W_rm + gV[i] @ W_rr
        gD = torch.empty_like(D)
        gw = q.new_empty(blocks, batch, m_size)
        _document_gradient[(batch, blocks, triton.cdiv(m_size, BLOCK_M))](
            D, q, w_ms, ge, lengths, gD, gw, length, batch, m_size, steps, BLOCK_T, BLOCK_M
        )
        weights, looked = s.permute(2, 1, 0).to(y_d.dtype), reads.transpose(0, 1).to(y_d.dtype)
        gy = torch.bmm(weights, looked).transpose(0, 1)
        before = r[:steps].flatten(0, 1)
        gW_rm = gq.flatten(0, 1).t() @ before
        gW_rr = gV.flatten(0, 1).t() @ before
        return gD, gq, gy, gr.sum(0), gW_rm, gW_rr, gw.sum((0, 1)), None, None


@triton.jit
def _tanh(x):
    # Written so that a large |x| never overflows: exp of minus twice the absolute value.
    z = tl.exp(-2.0 * tl.abs(x))
    t = (1.0 - z) / (1.0 + z)
    return tl.where(x < 0, -t, t)


@triton.jit
def _scores(
    D, q, w, lengths, e, length, batch, m_size, BLOCK_T: tl.constexpr, BLOCK_M: tl.constexpr
):  # fmt: skip
    b = tl.program_id(0)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    here = t < tl.load(lengths + b).to(tl.int32)
    total = tl.zeros((BLOCK_T,), tl.float32)
    for first in range(0, m_size, BLOCK_M):
        m = first + tl.arange(0, BLOCK_M)
        inside = m < m_size
        at = (t[:, None].to(tl.int64) * batch + b) * m_size + m[None, :]
        d = tl.load(D + at, mask=here[:, None] & inside[None, :], other=0.0).to(tl.float32)
        asked = tl.load(q + b * m_size + m, mask=inside, other=0.0)
        weight = tl.load(w + m, mask=inside, other=0.0).to(tl.float32)
        total += tl.sum(_tanh(d + asked[None, :]) * weight[None, :], 1)
    tl.store(e + t * batch + b, tl.where(here, total, float("-inf")), mask=t < length)


@triton.jit
def _read(
    e, y, kept, r_old, no_query, lengths, s, r_new, length, batch, r_size,
    BLOCK_T: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0)
    k = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = k < r_size
    here = tl.load(lengths + b).to(tl.int32)
    ended = tl.load(no_query + b).to(tl.int32) != 0
    highest = tl.full((BLOCK_T,), float("-inf"), tl.float32)
    for first in range(0, here, BLOCK_T):
        t = first + tl.arange(0, BLOCK_T)
        highest = tl.maximum(
            highest, tl.load(e + t * batch + b, mask=t < here, other=float("-inf"))
        )
    top = tl.max(highest, 0)
    total = tl.zeros((BLOCK_T,), tl.float32)
    for first in range(0, here, BLOCK_T):
        t = first + tl.arange(0, BLOCK_T)
        total += tl.exp(tl.load(e + t * batch + b, mask=t < here, other=float("-inf")) - top)
    scale = 1.0 / tl.sum(total, 0)
    acc = tl.zeros((BLOCK_M,), tl.float32)
    for first in range(0, here, BLOCK_T):
        t = first + tl.arange(0, BLOCK_T)
        p = tl.exp(tl.load(e + t * batch + b, mask=t < here, other=float("-inf")) - top) * scale
        at = (t[:, None].to(tl.int64) * batch + b) * r_size + k[None, :]
        rows = tl.load(y + at, mask=(t < here)[:, None] & inside[None, :], other=0.0)
        acc += tl.sum(rows.to(tl.float32) * p[:, None], 0)
    # After its last token a query keeps its r and looks at nothing.
    fresh = acc + tl.load(kept + b * r_size + k, mask=inside, other=0.0).to(tl.float32)
    old = tl.load(r_old + b * r_size + k, mask=inside, other=0.0).to(tl.float32)
    tl.store(r_new + b * r_size + k, tl.where(ended, old, fresh), mask=inside)
    if tl.program_id(1) == 0:
        for first in range(0, length, BLOCK_T):
            t = first + tl.arange(0, BLOCK_T)
            x = tl.load(e + t * batch + b, mask=t < here, other=float("-inf"))
            p = tl.where(ended, 0.0, tl.exp(x - top) * scale)
            tl.store(s + t * batch + b, p, mask=t < length)


@triton.jit
def _look_back(
    y, read, lengths, gs, length, batch, r_size, BLOCK_T: tl.constexpr, BLOCK_M: tl.constexpr
):  # fmt: skip
    b = tl.program_id(0)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    here = t < tl.load(lengths + b).to(tl.int32)
    total = tl.zeros((BLOCK_T,), tl.float32)
    for first in range(0, r_size, BLOCK_M):
        k = first + tl.arange(0, BLOCK_M)
        inside = k < r_size
        at = (t[:, None].to(tl.int64) * batch + b) * r_size + k[None, :]
        rows = tl.load(y + at, mask=here[:, None] & inside[None, :], other=0.0).to(tl.float32)
        g = tl.load(read + b * r_size + k, mask=inside, other=0.0).to(tl.float32)
        total += tl.sum(rows * g[None, :], 1)
    tl.store(gs + t * batch + b, total, mask=t < length)


@triton.jit
def _query_gradient(
    D, q, w, ge, lengths, gq, batch, m_size, BLOCK_T: tl.constexpr, BLOCK_M: tl.constexpr
):  # fmt: skip
    b = tl.program_id(0)
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = m < m_size
    here = tl.load(lengths + b).to(tl.int32)
    asked = tl.load(q + b * m_size + m, mask=inside, other=0.0)
    acc = tl.zeros((BLOCK_M,), tl.float32)
    for first in range(0, here, BLOCK_T):
        t = first + tl.arange(0, BLOCK_T)
        at = (t[:, None].to(tl.int64) * batch + b) * m_size + m[None, :]
        d = tl.load(D + at, mask=(t < here)[:, None] & inside[None, :], other=0.0).to(tl.float32)
        g = tl.load(ge + t * batch + b, mask=t < here, other=0.0)
        x = _tanh(d + asked[None, :])
        acc += tl.sum((1.0 - x * x) * g[:, None], 0)
    weight = tl.load(w + m, mask=inside, other=0.0).to(tl.float32)
    tl.store(gq + b * m_size + m, acc * weight, mask=inside)


@triton.jit
def _document_gradient(
    D, q, w, ge, lengths, gD, gw, length, batch, m_size, steps,
    BLOCK_T: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    m = tl.program_id(2) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = m < m_size
    here = t < tl.load(lengths + b).to(tl.int32)
    at = (t[:, None].to(tl.int64) * batch + b) * m_size + m[None, :]
    d = tl.load(D + at, mask=here[:, None] & inside[None, :], other=0.0).to(tl.float32)
    slope = tl.zeros((BLOCK_T, BLOCK_M), tl.float32)  # Σ_i ge(i,t) (1 - m²)
    use = tl.zeros((BLOCK_M,), tl.float32)  # Σ_i Σ_t ge(i,t) m
    for i in range(steps):
        asked = tl.load(q + (i * batch + b) * m_size + m, mask=inside, other=0.0)
        g = tl.load(ge + (i * length + t) * batch + b, mask=here, other=0.0)
        x = _tanh(d + asked[None, :])
        slope += (1.0 - x * x) * g[:, None]
        use += tl.sum(x * g[:, None], 0)
    weight = tl.load(w + m, mask=inside, other=0.0).to(tl.float32)
    tl.store(gD + at, slope * weight[None, :], mask=(t < length)[:, None] & inside[None, :])
    tl.store(gw + (tl.program_id(1) * batch + b) * m_size + m, use, mask=inside)
