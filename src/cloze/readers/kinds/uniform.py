"""The Uniform Reader: the Attentive Reader with s(t) = 1 / |d|, and so without attention."""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import Size, SoftmaxConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.layers import Answer, final, padding, weighted_sum
from cloze.readers.registry import register
from cloze.readers.two_texts import TwoTexts


class UniformConfig(SoftmaxConfig):
    name: ClassVar[str] = "Uniform Reader"
    kind: Literal["uniform"] = "uniform"
    joint_size: Size | None = None  # size of g; None: the embedding size

    @property
    def joint(self) -> int:
        return self.joint_size or self.embedding


@register(UniformConfig)
class UniformReader(TwoTexts):
    def __init__(self, config: UniformConfig, tokens: int) -> None:
        super().__init__(config, tokens)
        y, g = 2 * config.hidden_size, config.joint
        self.W_rg = nn.Linear(y, g, bias=False)
        self.W_ug = nn.Linear(y, g, bias=False)
        self.answer = Answer(config, self.embedding)

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, V or C] and attention s [B, Td], the same for every token."""
        y_d, y_q = self.read(batch, noise)
        g, s = self.joint(y_d, y_q, batch)
        return self.answer(g, batch, self.embedding, noise), s.t()

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J] and s [Td, B]"""
        u, lengths = final(y_q, batch.question_lengths), batch.document_lengths
        wide = torch.promote_types(y_d.dtype, torch.float32)
        s = (~padding(lengths, len(y_d))) / lengths.to(wide)
        return torch.tanh(self.W_rg(weighted_sum(s, y_d)) + self.W_ug(u)), s

    def fill_own(self, draw: FirstWeights) -> None:
        draw.matrices(self.W_rg, self.W_ug)
        self.answer.fill(draw)

    def answer_rows(self) -> list[Tensor]:
        return self.answer.rows()
