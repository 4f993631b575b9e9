"""The Uniform Reader: the Attentive Reader with s(t) = 1 / |d|, and so without attention."""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.first_weights import FirstWeights
from cloze.readers.joint import JointConfig, JointReader
from cloze.readers.layers import Answer, final, padding, weighted_sum
from cloze.readers.registry import register


class UniformConfig(JointConfig):
    name: ClassVar[str] = "Uniform Reader"
    kind: Literal["uniform"] = "uniform"


@register(UniformConfig)
class UniformReader(JointReader):
    def __init__(self, config: UniformConfig, tokens: int) -> None:
        super().__init__(config, tokens)
        y, g = 2 * config.hidden_size, config.joint
        self.W_rg = nn.Linear(y, g, bias=False)
        self.W_ug = nn.Linear(y, g, bias=False)
        self.answer = Answer(config, self.embedding)

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J] and s [B, Td], the same for every token"""
        u, lengths = final(y_q, batch.question_lengths), batch.document_lengths
        wide = torch.promote_types(y_d.dtype, torch.float32)
        s = (~padding(lengths, len(y_d))) / lengths.to(wide)
        return torch.tanh(self.W_rg(weighted_sum(s, y_d)) + self.W_ug(u)), s.t()

    def fill_own(self, draw: FirstWeights) -> None:
        draw.matrices(self.W_rg, self.W_ug)
        self.answer.fill(draw)
