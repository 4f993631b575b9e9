"""The hidden states of an Encoder Reader, for training that compares those of two readers.

A forward pass that is given an empty `States` fills it in: what the gap and the article's mentions
mean after the last layer and, after inner layers that it asks for, what all tokens mean.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import torch
from torch import Tensor

from cloze.readers.even import Even
from cloze.readers.packed import Packed

LEAST = 1e-6  # the least sum of squares that is divided by


@dataclass
class Vectors:
    """Vectors [N, H] of tokens, and the question that each belongs to, int64 [N]; a number behind
    the last question stands for padding."""

    of: Tensor
    question: Tensor


@dataclass
class States:
    layers: Collection[int] = ()  # the inner layers to keep, counted from 0
    inner: dict[int, Vectors] = field(default_factory=dict)
    last: Vectors | None = None

    def keep(self, layer: int, x: Tensor, laid: Packed | Even | Tensor) -> None:
        """What an inner layer made of the tokens: of texts laid end to end, x [N, H], or of padded
        ones, x [R, T, H], and then `laid` says where there is no token, bool [R, T]."""
        if layer not in self.layers:
            return
        if isinstance(laid, Packed | Even):
            self.inner[layer] = Vectors(x[: laid.count], laid.text[: laid.count].long())
        else:
            rows = torch.arange(len(laid), device=laid.device)[:, None]
            rows = torch.where(laid, len(laid), rows)  # which `finish` makes questions of
            self.inner[layer] = Vectors(x.flatten(0, 1), rows.flatten())

    def finish(self, h: Tensor, there: Tensor, owner: Tensor, questions: int) -> None:
        """What the places of each row mean at last, [R, 1 + K, H], which of them are the gap or a
        mention, bool [R, 1 + K], and the question of each row, [R]; there may be several rows for
        one question."""
        whose = torch.where(there, owner[:, None], questions)
        self.last = Vectors(h.flatten(0, 1), whose.flatten())
        rows = torch.cat([owner, owner.new_full((1,), questions)])
        for kept in self.inner.values():
            kept.question = rows[kept.question]


def distances(own: Vectors, other: Vectors, questions: int) -> Tensor:
    """For each question, the mean squared difference of two readers' vectors of the same tokens,
    divided by the other's variance: 1 is as far as their mean. [B]

    Not by their mean square, of which nearly all is a part that all tokens share.
    """
    wide = torch.promote_types(own.of.dtype, torch.float32)
    mine, theirs, whose = own.of.to(wide), other.of.to(wide), own.question
    nothing = mine.new_zeros(questions + 1)
    count = nothing.index_add(0, whose, torch.ones_like(mine[:, 0])).clamp(min=1)
    mean = mine.new_zeros(questions + 1, mine.shape[1]).index_add(0, whose, theirs)
    mean = mean / count[:, None]
    apart = nothing.index_add(0, whose, (mine - theirs).square().sum(1))
    spread = nothing.index_add(0, whose, (theirs - mean[whose]).square().sum(1))
    return (apart / spread.clamp(min=LEAST))[:questions]
