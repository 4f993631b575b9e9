"""The Attention Sum Reader: the answer is the entity with the most attention.

    s(t) ∝ exp(y_d(t) · u)
    p(a) ∝ the sum of exp(y_d(t) · u) over the places t where a is mentioned

y_d and u come from two GRUs, `reader.cell=gru`, as in the paper, or from the peephole LSTM of the
other readers, `reader.cell=lstm`.
"""

from typing import ClassVar, Literal

import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import CellConfig
from cloze.readers.layers import attention_sum, final
from cloze.readers.registry import register
from cloze.readers.two_texts import TwoTexts


class AttentionSumConfig(CellConfig):
    name: ClassVar[str] = "Attention Sum Reader"
    paper: ClassVar[str] = (
        "Kadlec et al. (2016), *Text Understanding with the Attention Sum Reader Network*"
    )
    kind: Literal["attention-sum"] = "attention-sum"
    output: Literal["candidates"] = "candidates"  # only what is in the document can have attention
    cell: Literal["gru", "lstm"] = "lstm"  # the paper's GRU, or the peephole LSTM


@register(AttentionSumConfig)
class AttentionSumReader(TwoTexts):
    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, C] and attention s [B, Td]."""
        y_d, y_q = self.read(batch, noise)
        return attention_sum(y_d, final(y_q, batch.question_lengths), batch)
