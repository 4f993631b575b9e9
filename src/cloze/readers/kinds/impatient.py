"""The Impatient Reader: rereads the document at each token of the query.

    m(i,t) = tanh(W_dm y_d(t) + W_rm r(i-1) + W_qm y_q(i))
    s(i,t) ∝ exp(w_ms · m(i,t))
    r(i)   = y_d s(i) + tanh(W_rr r(i-1)),  r(0) = r_0

Plain automatic differentiation would keep m(i,·), a copy of the document, for every query token.
`Rereading` keeps only s and r and recomputes m(i,·) in the backward pass: one buffer of the
document's size in all.
"""

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from cloze.readers.batch import Batch
from cloze.readers.config import Size
from cloze.readers.first_weights import FirstWeights
from cloze.readers.joint import JointConfig, JointReader
from cloze.readers.layers import MINUS_INFINITY, Answer, final, padding, weighted_sum
from cloze.readers.registry import register


class ImpatientConfig(JointConfig):
    name: ClassVar[str] = "Impatient Reader"
    kind: Literal["impatient"] = "impatient"
    attention_size: Size | None = None  # size of m(i,t); None: twice the hidden size, as y_d(t)

    @property
    def attention(self) -> int:
        return self.attention_size or 2 * self.hidden_size


@register(ImpatientConfig)
class ImpatientReader(JointReader):
    # When it starts from a trained Attentive Reader, only the rereading is left to learn.
    same_weights: ClassVar[Mapping[str, str]] = {"W_ym": "W_dm", "W_um": "W_qm", "W_ug": "W_qg"}

    def __init__(self, config: ImpatientConfig, tokens: int) -> None:
        super().__init__(config, tokens)
        y, m, g = 2 * config.hidden_size, config.attention, config.joint
        self.W_dm = nn.Linear(y, m, bias=False)
        self.W_qm = nn.Linear(y, m, bias=False)
        self.W_rm = nn.Linear(y, m, bias=False)
        self.W_rr = nn.Linear(y, y, bias=False)
        self.w_ms = nn.Linear(m, 1, bias=False)
        self.r_0 = nn.Parameter(torch.zeros(y))
        self.W_rg = nn.Linear(y, g, bias=False)
        self.W_qg = nn.Linear(y, g, bias=False)
        self.answer = Answer(config, self.embedding)

    def fill_own(self, draw: FirstWeights) -> None:
        draw.matrices(self.W_dm, self.W_qm, self.W_rm, self.W_rr, self.w_ms, self.W_rg, self.W_qg)
        self.answer.fill(draw)

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J] and s [B, Tq, Td], zero beyond either length"""
        weights = self.r_0, self.W_rm.weight, self.W_rr.weight, self.w_ms.weight[0]
        no_query = padding(batch.question_lengths, len(y_q))
        inputs = self.W_dm(y_d), self.W_qm(y_q), y_d, *weights
        fused = fused_rereading() if y_d.is_cuda and y_d.dtype != torch.float64 else None
        if fused is not None:
            r, s = fused.apply(*inputs, batch.document_lengths, no_query)
        else:
            no_document = padding(batch.document_lengths, len(y_d))
            r, s = Rereading.apply(*inputs, no_document, no_query)  # type: ignore[no-untyped-call]
        u = final(y_q, batch.question_lengths)
        g = torch.tanh(self.W_rg(r) + self.W_qg(u))  # g(d, q), with r = r(|q|)
        return g, s.permute(2, 0, 1)

    def film(self, batch: Batch) -> Tensor:
        y_d, y_q = self.read(batch, None)
        _, s = self.joint(y_d, y_q, batch)
        u = final(y_q, batch.question_lengths)
        no_query = padding(batch.question_lengths, len(y_q))
        r, logits = self.r_0.expand(len(batch), -1), []
        for i, done in enumerate(no_query):
            read = weighted_sum(s[:, i].t(), y_d) + torch.tanh(self.W_rr(r))
            r = torch.where(done[:, None], r, read)
            g = torch.tanh(self.W_rg(r) + self.W_qg(u))
            logits.append(self.answer(g, batch, self.embedding, None))
        return torch.stack(logits)


@functools.cache
def fused_rereading() -> Any:
    """The same loop in fused kernels for a GPU; None if Triton is missing."""
    try:
        from cloze.readers.rereading import FusedRereading
    except ImportError:
        return None
    return FusedRereading


class Rereading(torch.autograd.Function):
    """r(|q|) [B, R] and s [Tq, Td, B], from D = W_dm y_d and Q = W_qm y_q.

    Anything with one vector for each document token is in the dtype of D, which may be bfloat16;
    the rest is small and never below float32.
    """

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
        no_document: Tensor,  # bool [Td, B]
        no_query: Tensor,  # bool [Tq, B]
    ) -> tuple[Tensor, Tensor]:
        dtype = torch.promote_types(D.dtype, torch.float32)
        Q, r_0, W_rm, W_rr = (t.to(dtype) for t in (Q, r_0, W_rm, W_rr))
        y_d, w_ms = y_d.to(D.dtype), w_ms.to(D.dtype)
        steps, batch = Q.shape[:2]
        s = D.new_empty(steps, *D.shape[:2], dtype=dtype)
        r = D.new_empty(steps + 1, batch, len(r_0), dtype=dtype)
        r[0] = r_0
        m = torch.empty_like(D)
        with torch.autocast(D.device.type, enabled=False):
            for i in range(steps):
                _read(D, torch.addmm(Q[i], r[i], W_rm.t()), m)
                scores = (m @ w_ms).to(dtype).masked_fill_(no_document, MINUS_INFINITY)
                torch.softmax(scores, dim=0, out=s[i])
                read = weighted_sum(s[i], y_d).to(dtype).add_(torch.tanh(r[i] @ W_rr.t()))
                # After its last token, a query keeps its r and looks at nothing.
                torch.where(no_query[i, :, None], r[i], read, out=r[i + 1])
                s[i].masked_fill_(no_query[i], 0.0)
        ctx.save_for_backward(D, y_d, Q, W_rm, W_rr, w_ms, s, r, no_query)
        ctx.mark_non_differentiable(s)
        return r[steps].clone(), s

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gr: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        D, y_d, Q, W_rm, W_rr, w_ms, s, r, no_query = ctx.saved_tensors
        steps = len(Q)
        gD, gy, gw = torch.zeros_like(D), torch.zeros_like(y_d), torch.zeros_like(w_ms)
        gQ, gV = torch.empty_like(Q), torch.empty_like(r[:steps])
        m, gm = torch.empty_like(D), torch.empty_like(D)
        gr = gr.to(r.dtype)
        for i in reversed(range(steps)):
            _read(D, torch.addmm(Q[i], r[i], W_rm.t()), m)
            stay = no_query[i, :, None]
            read = gr.masked_fill(stay, 0.0)  # the gradient of r(i) where step i happened
            narrow = read.to(D.dtype)
            gy.addcmul_(s[i][:, :, None].to(D.dtype), narrow)
            gs = torch.bmm(y_d.transpose(0, 1), narrow[:, :, None])[:, :, 0].t()
            gs = s[i] * (gs - (s[i] * gs).sum(0))  # through the softmax over t
            ge = gs.to(D.dtype)
            gw += m.flatten(0, 1).t() @ ge.flatten()
            torch.mul(ge[:, :, None], w_ms, out=gm)
            torch.ops.aten.tanh_backward.grad_input(gm, m, grad_input=gm)
            gD += gm
            gQ[i] = gm.sum(0, dtype=gQ.dtype)
            v = torch.tanh(r[i] @ W_rr.t())
            gV[i] = read * (1.0 - v * v)
            gr = gr * stay + gQ[i] @ W_rm + gV[i] @ W_rr
        before = r[:steps].flatten(0, 1)
        gW_rm = gQ.flatten(0, 1).t() @ before
        gW_rr = gV.flatten(0, 1).t() @ before
        return gD, gQ, gy, gr.sum(0), gW_rm, gW_rr, gw, None, None


def _read(D: Tensor, rest: Tensor, m: Tensor) -> None:
    """m(i,t) = tanh(W_dm y_d(t) + rest) into the buffer m."""
    torch.add(D, rest.to(D.dtype), out=m).tanh_()
