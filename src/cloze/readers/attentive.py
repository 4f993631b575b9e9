"""The Attentive Reader, and the Uniform Reader as its special case s(t) = 1 / |d|."""

import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.layers import MINUS_INFINITY, Answer, Encoder, final, padding


class AttentiveReader(nn.Module):
    def __init__(self, config: ReaderConfig, vocabulary_size: int) -> None:
        super().__init__()
        y, m, g = 2 * config.hidden_size, config.attention, config.joint
        empty = torch.empty(vocabulary_size, config.embedding)  # `initialise` fills it
        self.embedding = nn.Embedding(vocabulary_size, config.embedding, _weight=empty)
        self.document_encoder = Encoder(config)
        self.query_encoder = Encoder(config)
        self.uniform = config.kind == "uniform"
        if not self.uniform:
            self.W_ym = nn.Linear(y, m, bias=False)
            self.W_um = nn.Linear(y, m, bias=False)
            self.w_ms = nn.Linear(m, 1, bias=False)
        self.W_rg = nn.Linear(y, g, bias=False)
        self.W_ug = nn.Linear(y, g, bias=False)
        self.answer = Answer(config, self.embedding)

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, V or C] and attention s [B, Td]."""
        x_d, x_q = self.embedding(batch.document), self.embedding(batch.question)
        y_d = self.document_encoder(x_d, batch.document_lengths, noise)  # [Td, B, 2H]
        y_q = self.query_encoder(x_q, batch.question_lengths, noise)
        g, s = self.joint(y_d, y_q, batch)
        return self.answer(g, batch, self.embedding, noise), s.t()

    def joint(self, y_d: Tensor, y_q: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """g(d, q) [B, J] and s [Td, B]"""
        u = final(y_q, batch.question_lengths)
        s = self.attention(y_d, u, batch.document_lengths)
        # r = y_d s, as one product a document
        r = torch.bmm(s.t()[:, None, :].to(y_d.dtype), y_d.transpose(0, 1))[:, 0]
        return torch.tanh(self.W_rg(r) + self.W_ug(u)), s  # g(d, q)

    def attention(self, y_d: Tensor, u: Tensor, lengths: Tensor) -> Tensor:
        absent = padding(lengths, len(y_d))
        if self.uniform:
            return (~absent) / lengths.to(torch.promote_types(y_d.dtype, torch.float32))
        # In place: of the [Td, B, M] tensors only m itself is kept.
        m = self.W_ym(y_d).add_(self.W_um(u)).tanh_()  # m(t)
        scores = self.w_ms(m)[:, :, 0].masked_fill(absent, MINUS_INFINITY)
        return torch.softmax(scores, dim=0)  # s(t) ∝ exp(w_ms · m(t))
