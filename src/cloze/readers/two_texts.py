"""What the readers with attention share: a recurrence over each of the two texts."""

import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import RecurrentConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.gru import bidirectional
from cloze.readers.layers import embedding
from cloze.readers.network import Network


class TwoTexts(Network):
    """Reads document and question separately, into y_d(t) and y_q(t)."""

    def __init__(self, config: RecurrentConfig, tokens: int) -> None:
        super().__init__()
        self.first_weights = config
        self.embedding = embedding(tokens, config.embedding)
        self.document_encoder = bidirectional(config, config.embedding)
        self.query_encoder = bidirectional(config, config.embedding)

    def read(self, batch: Batch, noise: torch.Generator | None) -> tuple[Tensor, Tensor]:
        """y_d [Td, B, 2H] and y_q [Tq, B, 2H], zero at padding."""
        x_d, x_q = self.embedding(batch.document), self.embedding(batch.question)
        y_d = self.document_encoder(x_d, batch.document_lengths, noise)
        return y_d, self.query_encoder(x_q, batch.question_lengths, noise)

    def fill(self, random: torch.Generator) -> None:
        draw = FirstWeights(self.first_weights, random)
        encoders = self.document_encoder, self.query_encoder
        draw.embedding(self.embedding)
        for encoder in encoders:
            encoder.fill(draw)
        self.fill_own(draw)
        for encoder in encoders:
            encoder.fill_memory(draw)

    def fill_own(self, draw: FirstWeights) -> None:
        """Draw the weights that a reader has besides these."""

    def read_rows(self) -> list[Tensor]:
        return [self.embedding.weight]
