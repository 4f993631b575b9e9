"""Weights as they come back from a file of few bits (`cloze.few_bits`), bit for bit, in PyTorch: on
the device that they are on, and fast enough to be done in every step of training."""

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.few_bits import FEWEST, GROUP, FewBits, bits_of, lowest_of

TOGETHER = 1 << 24  # numbers that are rounded at once; a weight that has more, by itself


@torch.no_grad()
def round_all(weights: Mapping[str, Tensor], bits: FewBits) -> None:
    """Put what is stored of each weight in its place, as `in_few_bits` has it. Many are rounded at
    once: a GPU would need longer to start twenty kernels for each than to run them."""
    small = [weight for weight in weights.values() if not _is_large(weight)]
    for some in _some_at_a_time(small):
        _put(some, torch.cat([weight.flatten() for weight in some]).half().float())
    by_bits: dict[FewBits, list[Tensor]] = {}
    for name, weight in weights.items():
        if _is_large(weight):
            by_bits.setdefault(bits_of(name, bits), []).append(weight)
    for own, large in by_bits.items():
        _round_large(large, own)


def _round_large(weights: Sequence[Tensor], bits: FewBits) -> None:
    of_groups = [w for w in weights if w.shape[-1] % GROUP == 0 and w.is_contiguous()]
    for some in _some_at_a_time([weight.view(-1, GROUP) for weight in of_groups]):
        _put(some, _rounded(torch.cat(some).float(), bits))
    together = {id(weight) for weight in of_groups}
    for weight in weights:
        if id(weight) not in together:
            weight.copy_(in_few_bits(weight, bits))


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


def in_few_bits(weight: Tensor, bits: FewBits) -> Tensor:
    """What is stored of a weight: large matrices in few bits, everything else in 16."""
    if not _is_large(weight):
        return weight.half().to(weight.dtype)
    length = weight.shape[-1]
    whole = F.pad(weight.float(), (0, -length % GROUP))
    groups = whole.view(*whole.shape[:-1], -1, GROUP)
    return _rounded(groups, bits).flatten(-2)[..., :length].to(weight.dtype)


def _rounded(groups: Tensor, bits: FewBits) -> Tensor:
    lowest = lowest_of(bits)
    most, least = groups.amax(-1, keepdim=True), groups.amin(-1, keepdim=True)
    top = torch.where(most >= -least, most, least)
    scale = (top / lowest).half().float()
    # In place: on a CPU, allocating new memory takes longer than this arithmetic.
    numbers = groups / torch.where(scale == 0, 1.0, scale)
    numbers.round_().clamp_(lowest, -lowest - 1)
    numbers.masked_fill_((groups == top).logical_and_(scale != 0), lowest)
    # Adding zero turns -0 into 0, as whole numbers have it.
    return numbers.add_(0.0).mul_(scale + 0.0)
