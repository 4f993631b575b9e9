"""What the readers share: dropout, the LSTM over a text, the padding mask, the softmax."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.randomness import generator
from cloze.readers.batch import Batch
from cloze.readers.config import RecurrentConfig, SoftmaxConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.vocabulary import PADDING
from cloze.recurrence import PeepholeLSTM

MINUS_INFINITY = float("-inf")


def noise(seed: int, *counters: int, device: torch.device | str = "cpu") -> torch.Generator:
    """The stream of dropout masks of one step: a pure function of (seed, *counters).

    A network given `noise(seed, step)` drops the same units whenever that step is run, so a
    resumed run continues as if it had never stopped. Without noise nothing is dropped.
    """
    number = int(generator(seed, *counters).integers(2**63))
    return torch.Generator(device).manual_seed(number)


def embedding(rows: int, size: int) -> nn.Embedding:
    """An embedding that is still to be filled: for PyTorch's own draw, a model that is loaded would
    import sympy, which takes a second."""
    return nn.Embedding(rows, size, _weight=torch.empty(rows, size))


def dropout(x: Tensor, rate: float, noise: torch.Generator | None) -> Tensor:
    return scaled_up(x, rate, kept_units(x, rate, noise))


def kept_units(x: Tensor, rate: float, noise: torch.Generator | None) -> Tensor | None:
    """Which units dropout keeps, None for all: one byte per unit for the backward pass."""
    if noise is None or rate == 0.0:
        return None
    if x.device.type == "cpu":
        return _drawn(x.numel(), 1.0 - rate, noise).view(x.shape)
    kept = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    return kept.bernoulli_(1.0 - rate, generator=noise)


def _drawn(units: int, chance: float, noise: torch.Generator) -> Tensor:
    """Keeps each unit with this chance, to within 1 / 65,536. A CPU draws numbers one after the
    other, which would take longer than the products beside it, so one serves four units."""
    numbers = torch.empty(-(-units // 4), dtype=torch.int64).random_(
        torch.iinfo(torch.int64).min, None, generator=noise
    )
    last = round(chance * 65536) - 32769  # of those that 16 bits hold, counted from the lowest
    return numbers.view(torch.int16)[:units] <= max(last, -32768)


def scaled_up(x: Tensor, rate: float, kept: Tensor | None) -> Tensor:
    """The units that are kept, larger by as much as those that are dropped take away."""
    return x if kept is None else x.mul(kept).mul_(1.0 / (1.0 - rate))


def padding(lengths: Tensor, longest: int) -> Tensor:
    """True where there is no token. bool [longest, B]"""
    return torch.arange(longest, device=lengths.device)[:, None] >= lengths[None, :]


class BidirectionalLSTM(nn.Module):
    """One layer over embedded tokens, read from both ends."""

    def __init__(self, config: RecurrentConfig, inputs: int) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.lstm = PeepholeLSTM(inputs, config.hidden_size, bidirectional=True)

    def forward(self, x: Tensor, lengths: Tensor, noise: torch.Generator | None) -> Tensor:
        """x [T, B, I] -> y(t) = forward y(t) || backward y(t), [T, B, 2H], zero at padding."""
        y: Tensor = self.lstm(dropout(x, self.dropout, noise), lengths)
        return y.flatten(2)

    def fill(self, draw: FirstWeights) -> None:
        draw.gates(self.lstm.W_x, self.lstm.bias)
        draw.recurrence(self.lstm)

    def fill_memory(self, draw: FirstWeights) -> None:
        draw.memories(self.lstm.bias)


def final(y: Tensor, lengths: Tensor) -> Tensor:
    """u = forward y(|q|) || backward y(1): what each direction knows at its end. [B, 2H]"""
    half = y.shape[2] // 2
    columns = torch.arange(y.shape[1], device=y.device)
    return torch.cat([y[lengths - 1, columns, :half], y[0, :, half:]], dim=1)


def weighted_sum(s: Tensor, y: Tensor) -> Tensor:
    """y s: the sum over t of s(t) y(t), for s [T, B] and y [T, B, R]. [B, R]"""
    return torch.bmm(s.t()[:, None, :].to(y.dtype), y.transpose(0, 1))[:, 0]


def mentions(batch: Batch) -> Tensor:
    """Which tokens of the document mention which candidate. bool [B, Td, C]"""
    there = ~padding(batch.document_lengths, len(batch.document)).t()
    known = batch.candidates != PADDING
    same = batch.document.t()[:, :, None] == batch.candidates[:, None, :]
    return same & there[:, :, None] & known[:, None, :]


def sums_over_mentions(scores: Tensor, mentioned: Tensor, batch: Batch) -> Tensor:
    """log of the sum of exp(score) over each candidate's mentions. scores [B, Td] -> [B, C]"""
    nobody = batch.candidates == PADDING
    # A sum over no place has no gradient: padding among the candidates gets the first.
    first = torch.arange(scores.shape[1], device=scores.device) == 0
    places = mentioned | (nobody[:, None, :] & first[None, :, None])
    sums = scores[:, :, None].masked_fill(~places, MINUS_INFINITY).logsumexp(1)
    return sums.masked_fill(nobody, MINUS_INFINITY)


def attention_sum(y_d: Tensor, u: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Each candidate's log Σ exp(y_d(t) · u) over its mentions [B, C], and s [B, Td]."""
    scores = torch.bmm(y_d.transpose(0, 1), u[:, :, None])[:, :, 0]  # y_d(t) · u
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    absent = padding(batch.document_lengths, len(y_d)).t()
    scores = scores.masked_fill(absent, MINUS_INFINITY)
    return sums_over_mentions(scores, mentions(batch), batch), torch.softmax(scores, dim=1)


class Answer(nn.Module):
    """p(a | d, q) ∝ exp(W(a) g(d, q)): over the whole vocabulary, or over the candidates."""

    no_padding: Tensor

    def __init__(self, config: SoftmaxConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        self.over = config.output
        self.dropout = config.dropout
        self.tied, self.scale = config.tie_output, config.output_scale
        if self.over == "vocabulary":  # padding is not a word: its logit is minus infinity
            no_padding = torch.zeros(embedding.num_embeddings)
            no_padding[PADDING] = MINUS_INFINITY
            self.register_buffer("no_padding", no_padding, persistent=False)
        if not self.tied:
            self.weight = nn.Parameter(torch.empty(embedding.num_embeddings, config.joint))
        elif config.joint != config.embedding:
            # If g and the embeddings differ in size, W = E P.
            self.bridge = nn.Linear(config.joint, config.embedding, bias=False)

    def fill(self, draw: FirstWeights) -> None:
        if not self.tied:
            draw.uniform(self.weight, self.scale)
        elif hasattr(self, "bridge"):
            draw.matrices(self.bridge)

    def rows(self) -> list[Tensor]:
        """W, unless it is tied to the embeddings."""
        return [] if self.tied else [self.weight]

    def forward(
        self, g: Tensor, batch: Batch, embedding: nn.Embedding, noise: torch.Generator | None
    ) -> Tensor:
        """g [B, J] -> logits [B, V], or [B, C] in the order of `batch.candidates`."""
        g = dropout(g, self.dropout, noise)
        if self.tied and hasattr(self, "bridge"):
            g = self.bridge(g)
        weight = embedding.weight if self.tied else self.weight  # W
        if self.over == "vocabulary":
            return F.linear(g, weight, self.no_padding)
        rows = F.embedding(batch.candidates, weight)  # [B, C, J]
        logits = torch.bmm(rows, g.to(rows.dtype)[:, :, None])[:, :, 0]
        return logits.masked_fill(batch.candidates == PADDING, MINUS_INFINITY)
