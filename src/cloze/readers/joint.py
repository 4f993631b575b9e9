"""What the Attentive, the Uniform and the Impatient Reader share: g(d, q), then the softmax."""

import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import Size, SoftmaxConfig
from cloze.readers.layers import Answer
from cloze.readers.two_texts import TwoTexts


class JointConfig(SoftmaxConfig):
    joint_size: Size | None = None  # size of g; None: the embedding size

    @property
    def joint(self) -> int:
        return self.joint_size or self.embedding


class JointReader(TwoTexts):
    """Joins document and question into g(d, q); kinds differ in how, and in their attention."""

    answer: Answer

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, V or C], and the attention of `joint`."""
        y_d, y_q = self.read(batch, noise)
        g, attention = self.joint(y_d, y_q, batch)
        return self.answer(g, batch, self.embedding, noise), attention

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J], and the attention with the batch first."""
        raise NotImplementedError

    def answer_rows(self) -> list[Tensor]:
        return self.answer.rows()
