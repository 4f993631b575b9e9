"""The Attentive Reader: r = y_d s with s(t) ∝ exp(w_ms · tanh(W_ym y_d(t) + W_um u))."""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import Size
from cloze.readers.first_weights import FirstWeights
from cloze.readers.joint import JointConfig, JointReader
from cloze.readers.layers import MINUS_INFINITY, Answer, final, padding, weighted_sum
from cloze.readers.registry import register


class AttentiveConfig(JointConfig):
    name: ClassVar[str] = "Attentive Reader"
    kind: Literal["attentive"] = "attentive"
    attention_size: Size | None = None  # size of m(t); None: twice the hidden size, as y_d(t)

    @property
    def attention(self) -> int:
        return self.attention_size or 2 * self.hidden_size


@register(AttentiveConfig)
class AttentiveReader(JointReader):
    def __init__(self, config: AttentiveConfig, tokens: int) -> None:
        super().__init__(config, tokens)
        y, m, g = 2 * config.hidden_size, config.attention, config.joint
        self.W_ym = nn.Linear(y, m, bias=False)
        self.W_um = nn.Linear(y, m, bias=False)
        self.w_ms = nn.Linear(m, 1, bias=False)
        self.W_rg = nn.Linear(y, g, bias=False)
        self.W_ug = nn.Linear(y, g, bias=False)
        self.answer = Answer(config, self.embedding)

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J] and s [B, Td]"""
        u = final(y_q, batch.question_lengths)
        s = self.attention(y_d, u, batch.document_lengths)
        r = weighted_sum(s, y_d)
        return torch.tanh(self.W_rg(r) + self.W_ug(u)), s.t()  # g(d, q)

    def attention(self, y_d: Tensor, u: Tensor, lengths: Tensor) -> Tensor:
        absent = padding(lengths, len(y_d))
        # In place: of the [Td, B, M] tensors only m itself is kept.
        m = self.W_ym(y_d).add_(self.W_um(u)).tanh_()  # m(t)
        scores = self.w_ms(m)[:, :, 0].masked_fill(absent, MINUS_INFINITY)
        return torch.softmax(scores, dim=0)  # s(t) ∝ exp(w_ms · m(t))

    def fill_own(self, draw: FirstWeights) -> None:
        draw.matrices(self.W_ym, self.W_um, self.w_ms, self.W_rg, self.W_ug)
        self.answer.fill(draw)
