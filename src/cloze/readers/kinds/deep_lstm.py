"""The Deep LSTM Reader: document and query as one sequence through a stack of LSTMs.

x'(t,k) = x(t) || y'(t,k-1),   y'(t,k) = W_ky h(t,k) + b_ky,   y(t) = y'(t,1) || ... || y'(t,K)
g(d,q)  = y at the last step
"""

from typing import ClassVar, Literal, cast

import torch
from pydantic import Field
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import SoftmaxConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.layers import Answer, dropout, embedding
from cloze.readers.network import Network
from cloze.readers.registry import register
from cloze.readers.vocabulary import DELIMITER, PADDING
from cloze.recurrence import PeepholeLSTM


class DeepLSTMConfig(SoftmaxConfig):
    name: ClassVar[str] = "Deep LSTM Reader"
    kind: Literal["deep-lstm"] = "deep-lstm"
    layers: int = Field(2, gt=0, le=100)  # K, the number of LSTMs in the stack
    feed: Literal["qca", "cqa"] = "qca"  # the query first, or the document first
    # In the paper's equation the forget gate reads x(t); "full" reads x'(t,k), as the others do.
    forget_gate: Literal["printed", "full"] = "printed"

    @property
    def joint(self) -> int:
        return self.layers * self.hidden_size  # y(t) = y'(t,1) || ... || y'(t,K)


@register(DeepLSTMConfig)
class DeepLSTMReader(Network):
    def __init__(self, config: DeepLSTMConfig, tokens: int) -> None:
        super().__init__()
        self.first_weights = config
        self.query_first = config.feed == "qca"
        self.dropout = config.dropout
        self.embedding = embedding(tokens, config.embedding)
        made = [Layer(config, lowest=k == 0) for k in range(config.layers)]
        self.layers = cast(list[Layer], nn.ModuleList(made))
        self.answer = Answer(config, self.embedding)

    def forward(self, batch: Batch, noise: torch.Generator | None = None) -> tuple[Tensor, None]:
        """Logits [B, V or C]; there is no attention."""
        document = batch.document, batch.document_lengths
        query = batch.question, batch.question_lengths
        tokens, lengths = (
            joined(*query, *document) if self.query_first else joined(*document, *query)
        )
        last = lengths - 1, torch.arange(len(batch), device=lengths.device)
        x = dropout(self.embedding(tokens), self.dropout, noise)  # x(t)
        below: Tensor | None = None
        outputs = []
        for k, layer in enumerate(self.layers, start=1):
            h = layer(x, below, lengths)  # h(t,k)
            if k == len(self.layers):
                outputs.append(layer.W_y(h[last]))  # y'(t,K) is read only at the end
            else:
                y = layer.W_y(h)  # y'(t,k)
                outputs.append(y[last])
                below = dropout(y, self.dropout, noise)
        g = torch.cat(outputs, dim=1)  # y(|d| + |q|)
        return self.answer(g, batch, self.embedding, noise), None

    def fill(self, random: torch.Generator) -> None:
        draw = FirstWeights(self.first_weights, random)
        draw.embedding(self.embedding)
        for layer in self.layers:
            layer.fill(draw)
        self.answer.fill(draw)
        draw.memories(*(layer.W_x.bias for layer in self.layers))

    def read_rows(self) -> list[Tensor]:
        return [self.embedding.weight]

    def answer_rows(self) -> list[Tensor]:
        return self.answer.rows()


class Layer(nn.Module):
    """Layer k: gates in the order i, f, c, o."""

    def __init__(self, config: DeepLSTMConfig, *, lowest: bool) -> None:
        super().__init__()
        hidden = config.hidden_size
        self.forget_reads_below = config.forget_gate == "full"
        gates = 4 if self.forget_reads_below else 3  # those that read y'(t,k-1)
        self.W_x = nn.Linear(config.embedding, 4 * hidden)  # with b_i, b_f, b_c, b_o
        if not lowest:
            self.W_below = nn.Parameter(torch.empty(gates * hidden, hidden))
        self.lstm = PeepholeLSTM(None, hidden, bidirectional=False)
        self.W_y = nn.Linear(hidden, hidden)

    def fill(self, draw: FirstWeights) -> None:
        if hasattr(self, "W_below"):
            draw.gates(self.W_below)
        draw.gates(self.W_x.weight, self.W_x.bias)
        draw.recurrence(self.lstm)
        draw.matrices(self.W_y)

    def forward(self, x: Tensor, below: Tensor | None, lengths: Tensor) -> Tensor:
        """x [T, B, E] and y'(t,k-1) [T, B, H] -> h(t,k) [T, B, H]"""
        return self.lstm.recur(self.project(x, below)[:, :, None], lengths)[:, :, 0]

    def project(self, x: Tensor, below: Tensor | None) -> Tensor:
        """What x'(t,k) contributes to the gates. [T, B, 4H]"""
        projected: Tensor = self.W_x(x)
        if below is not None:
            W: Tensor = self.W_below
            if not self.forget_reads_below:  # as printed: f(t,k) reads x(t) only
                i, c, o = W.chunk(3)
                W = torch.cat([i, torch.zeros_like(i), c, o])
            flat = torch.addmm(projected.flatten(0, 1), below.flatten(0, 1), W.t())
            projected = flat.view_as(projected)
        return projected


def joined(
    first: Tensor, first_lengths: Tensor, second: Tensor, second_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Each example's two texts joined by the delimiter, then padding. [T1 + 1 + T2, B]"""
    t = torch.arange(len(first) + 1 + len(second), device=first.device)[:, None]
    after = t - first_lengths - 1  # where in the second text
    from_first = first[t.clamp(max=len(first) - 1)[:, 0]]
    from_second = second.gather(0, after.clamp(0, len(second) - 1))
    tokens = torch.where(t < first_lengths, from_first, from_second)
    tokens = tokens.masked_fill(after == -1, DELIMITER)
    tokens = tokens.masked_fill(after >= second_lengths, PADDING)
    return tokens, first_lengths + 1 + second_lengths
