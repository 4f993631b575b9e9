"""The Stanford Attentive Reader: bilinear attention, and an answer from what it reads alone.

    s(t) ∝ exp(uᵀ W_s y_d(t))
    o    = Σ s(t) y_d(t)
    p(a) ∝ exp(W(a) o), among the entities of the document

Unlike in the Attentive Reader there is no layer of tanh, neither in the attention nor before the
answer. The paper numbers the entities in the order of mention (`reader.markers=order`) and starts
from GloVe vectors (`vectors=FILE`).
"""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import CellConfig, Naming, SoftmaxConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.layers import MINUS_INFINITY, Answer, final, padding, weighted_sum
from cloze.readers.registry import register
from cloze.readers.two_texts import TwoTexts


class StanfordConfig(SoftmaxConfig, CellConfig):
    name: ClassVar[str] = "Stanford Attentive Reader"
    paper: ClassVar[str] = (
        "Chen et al. (2016), *A Thorough Examination of the CNN/Daily Mail Reading Comprehension "
        "Task*"
    )
    kind: Literal["stanford"] = "stanford"
    output: Literal["candidates"] = "candidates"  # the paper chooses among the entities alone
    markers: Naming = "order"  # in the order of mention, as in the paper, or drawn

    @property
    def joint(self) -> int:
        return 2 * self.hidden_size  # of o


@register(StanfordConfig)
class StanfordReader(TwoTexts):
    def __init__(self, config: StanfordConfig, tokens: int) -> None:
        super().__init__(config, tokens)
        size = 2 * config.hidden_size
        self.W_s = nn.Linear(size, size, bias=False)
        self.answer = Answer(config, self.embedding)

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, C] and attention s [B, Td]."""
        y_d, y_q = self.read(batch, noise)
        u = final(y_q, batch.question_lengths)
        scores = torch.einsum("tbh,bh->tb", self.W_s(y_d), u)  # uᵀ W_s y_d(t)
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        absent = padding(batch.document_lengths, len(y_d))
        s = torch.softmax(scores.masked_fill(absent, MINUS_INFINITY), dim=0)
        o = weighted_sum(s, y_d)
        return self.answer(o, batch, self.embedding, noise), s.t()

    def fill_own(self, draw: FirstWeights) -> None:
        draw.matrices(self.W_s)
        self.answer.fill(draw)

    def answer_rows(self) -> list[Tensor]:
        return self.answer.rows()
