"""What a transformer adds to the scores of its attention: what hides the tokens that are not there,
and MPNet's bias for the distance of two tokens."""

import math

import torch
from torch import Tensor

FURTHEST = 128  # tokens: all larger distances share a bucket


def mask(absent: Tensor, dtype: torch.dtype) -> Tensor | None:
    """What hides the tokens that are not there, [B, 1, 1, T]; None if all are."""
    if not bool(absent.any()):
        return None
    return torch.zeros_like(absent, dtype=dtype).masked_fill_(absent, -1e4)[:, None, None]


def both(hidden: Tensor | None, far: Tensor | None, length: int) -> Tensor | None:
    """The sum; `far` may be that of longer texts, of which it is a corner."""
    if far is None:
        return hidden
    far = far[None, :, :length, :length]
    return far if hidden is None else hidden + far


def bucket(distance: Tensor, buckets: int) -> Tensor:
    """The bucket of each distance, key minus query. Each side has half of the buckets; half of
    those are for single steps, and the rest grow wider up to `FURTHEST`.

    >>> bucket(torch.tensor([0, -1, 1, -9, 200]), 32).tolist()
    [0, 1, 17, 8, 31]
    """
    side = buckets // 2
    single = side // 2
    n = distance.abs()
    grown = torch.log(n.clamp(min=1).float() / single) / math.log(FURTHEST / single)
    wide = single + (grown * (side - single)).long()
    return (distance > 0).long() * side + torch.where(n < single, n, wide.clamp(max=side - 1))
