"""The Gated-Attention Reader: the document is read K times, each time gated by the question.

    d(t,k)  = y_d(t) of recurrence k over x(t,k-1),   Q(k) = y_q of its own recurrence k
    a(t,k)  = softmax(Q(k)ᵀ d(t,k))                   what each token wants to know
    x(t,k)  = d(t,k) * Q(k) a(t,k)                    element by element, for k < K
    p(a)    ∝ the sum of exp(q · d(t,K)) over the places t where a is mentioned

x(t,0) is the embedding, and q is Q(K) at the gap. With `reader.common_words` the last recurrence
also reads whether the token is in the question ("qe-comm"). The paper's optional vectors of the
characters of a word are left out.
"""

from typing import ClassVar, Literal, cast

import torch
from pydantic import Field
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import CellConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.gru import Bidirectional, bidirectional
from cloze.readers.layers import MINUS_INFINITY, attention_sum, embedding, padding
from cloze.readers.network import Network
from cloze.readers.registry import register
from cloze.readers.vocabulary import GAP


class GatedAttentionConfig(CellConfig):
    name: ClassVar[str] = "Gated-Attention Reader"
    paper: ClassVar[str] = "Dhingra et al. (2017), *Gated-Attention Readers for Text Comprehension*"
    kind: Literal["gated-attention"] = "gated-attention"
    output: Literal["candidates"] = "candidates"  # only what is in the document can have attention
    hops: int = Field(3, gt=0, le=20)  # K, how often the document is read
    common_words: bool = False  # the last hop also reads whether a token is in the question


@register(GatedAttentionConfig)
class GatedAttentionReader(Network):
    def __init__(self, config: GatedAttentionConfig, tokens: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = embedding(tokens, config.embedding)
        sizes = [config.embedding] + [2 * config.hidden_size] * (config.hops - 1)
        sizes[-1] += config.common_words
        of_documents = nn.ModuleList(bidirectional(config, size) for size in sizes)
        of_queries = nn.ModuleList(bidirectional(config, config.embedding) for _ in sizes)
        self.document_encoders = cast(list[Bidirectional], of_documents)
        self.query_encoders = cast(list[Bidirectional], of_queries)

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Logits [B, C] and the last hop's attention s [B, Td]."""
        x, x_q = self.embedding(batch.document), self.embedding(batch.question)
        hops = list(zip(self.document_encoders, self.query_encoders, strict=True))
        for of_document, of_query in hops[:-1]:
            Q = of_query(x_q, batch.question_lengths, noise)
            x = gated(of_document(x, batch.document_lengths, noise), Q, batch)
        if self.config.common_words:
            x = torch.cat([x, in_question(batch)[:, :, None].to(x.dtype)], dim=2)
        of_document, of_query = hops[-1]
        D = of_document(x, batch.document_lengths, noise)
        Q = of_query(x_q, batch.question_lengths, noise)
        return attention_sum(D, at_gap(Q, batch), batch)

    def fill(self, random: torch.Generator) -> None:
        draw = FirstWeights(self.config, random)
        draw.embedding(self.embedding)
        for encoder in (*self.document_encoders, *self.query_encoders):
            encoder.fill(draw)
            encoder.fill_memory(draw)

    def read_rows(self) -> list[Tensor]:
        return [self.embedding.weight]


def gated(D: Tensor, Q: Tensor, batch: Batch) -> Tensor:
    """x(t,k): each token of the document times what it attends to in the question. [Td, B, 2H]"""
    D, Q = D.transpose(0, 1), Q.transpose(0, 1)
    scores = torch.bmm(D, Q.transpose(1, 2))  # [B, Td, Tq]
    absent = padding(batch.question_lengths, len(batch.question)).t()[:, None, :]
    a = torch.softmax(scores.masked_fill(absent, MINUS_INFINITY), dim=2)
    return (D * torch.bmm(a.to(Q.dtype), Q)).transpose(0, 1)


def at_gap(Q: Tensor, batch: Batch) -> Tensor:
    """What both directions know at the gap. [B, 2H]"""
    there = ~padding(batch.question_lengths, len(batch.question))
    place = ((batch.question == GAP) & there).int().argmax(0)
    return Q[place, torch.arange(len(place), device=Q.device)]


def in_question(batch: Batch) -> Tensor:
    """Which tokens of the document are in the question. bool [Td, B]"""
    there = ~padding(batch.question_lengths, len(batch.question))
    same = batch.document[:, None, :] == batch.question[None, :, :]
    return (same & there[None]).any(1)
