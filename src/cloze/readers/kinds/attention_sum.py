"""The Attention Sum Reader: the answer is the entity with the most attention.

    s(t) ∝ exp(y_d(t) · u)
    p(a) ∝ the sum of exp(y_d(t) · u) over the places t where a is mentioned

This one uses the peephole LSTM of the other readers; the paper uses a GRU.
"""

from typing import ClassVar, Literal

import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import RecurrentConfig
from cloze.readers.layers import MINUS_INFINITY, final, mentions, padding, sums_over_mentions
from cloze.readers.registry import register
from cloze.readers.two_texts import TwoTexts


class AttentionSumConfig(RecurrentConfig):
    name: ClassVar[str] = "Attention Sum Reader"
    paper: ClassVar[str] = (
        "Kadlec et al. (2016), *Text Understanding with the Attention Sum Reader Network*"
    )
    kind: Literal["attention-sum"] = "attention-sum"
    output: Literal["candidates"] = "candidates"  # only what is in the document can have attention


@register(AttentionSumConfig)
class AttentionSumReader(TwoTexts):
    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, C] and attention s [B, Td]."""
        y_d, y_q = self.read(batch, noise)
        u = final(y_q, batch.question_lengths)
        scores = torch.bmm(y_d.transpose(0, 1), u[:, :, None])[:, :, 0]  # y_d(t) · u
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        absent = padding(batch.document_lengths, len(y_d)).t()
        scores = scores.masked_fill(absent, MINUS_INFINITY)
        return sums_over_mentions(scores, mentions(batch), batch), torch.softmax(scores, dim=1)
