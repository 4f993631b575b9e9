"""Weights as they come back from a file of 4 bits (`cloze.four_bits`), bit for bit, in PyTorch: on
the device that they are on, and fast enough to be done in every step of training."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.four_bits import FEWEST, GROUP, HIGHEST, LOWEST

TOGETHER = 1 << 24  # numbers that are rounded at once; a weight that has more, by itself


@torch.no_grad()
def round_all(weights: Sequence[Tensor]) -> None:
    """Put what is stored of each weight in its place, as `in_four_bits` has it. Many are rounded at
    once: a GPU would need longer to start twenty kernels for each than to run them."""
    large = [weight for weight in weights if _is_large(weight)]
    of_groups = [w for w in large if w.shape[-1] % GROUP == 0 and w.is_contiguous()]
    for some in _some_at_a_time([weight.view(-1, GROUP) for weight in of_groups]):
        _put(some, _rounded(torch.cat(some).float()))
    for some in _some_at_a_time([weight for weight in weights if not _is_large(weight)]):
        _put(some, torch.cat([weight.flatten() for weight in some]).half().float())
    together = {id(weight) for weight in of_groups}
    for weight in large:
        if id(weight) not in together:
            weight.copy_(in_four_bits(weight))


def _put(weights: list[Tensor], laid: Tensor) -> None:
    """Back into their places what lies end to end."""
    parts = laid.flatten().split_with_sizes([weight.numel() for weight in weights])
    shaped = [part.view_as(weight) for part, weight in zip(parts, weights, strict=True)]
    torch._foreach_copy_(weights, shaped)


def _some_at_a_time(weights: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    some: list[Tensor] = []
    for weight in weights:
        if some and sum(w.numel() for w in some) + weight.numel() > TOGETHER:
            yield some
            some = []
        some.append(weight)
    if some:
        yield some


def _is_large(weight: Tensor) -> bool:
    return weight.ndim > 1 and weight.numel() >= FEWEST and weight.shape[-1] % 2 == 0


def in_four_bits(weight: Tensor) -> Tensor:
    """What is stored of a weight: large matrices in 4 bits, everything else in 16."""
    if not _is_large(weight):
        return weight.half().to(weight.dtype)
    length = weight.shape[-1]
    whole = F.pad(weight.float(), (0, -length % GROUP))
    groups = whole.view(*whole.shape[:-1], -1, GROUP)
    return _rounded(groups).flatten(-2)[..., :length].to(weight.dtype)


def _rounded(groups: Tensor) -> Tensor:
    highest, lowest = groups.amax(-1, keepdim=True), groups.amin(-1, keepdim=True)
    top = torch.where(highest >= -lowest, highest, lowest)
    scale = (top / LOWEST).half().float()
    numbers = torch.round(groups / torch.where(scale == 0, 1.0, scale)).clamp(LOWEST, HIGHEST)
    numbers = torch.where((groups == top) & (scale != 0), float(LOWEST), numbers)
    return (numbers + 0.0) * (scale + 0.0)  # which turns -0 into 0, as whole numbers have it
