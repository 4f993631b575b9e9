"""Weights as they come back from a file of 4 bits (`cloze.four_bits`), bit for bit, in PyTorch: on
the device that they are on, and fast enough to be done in every step of training."""

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.four_bits import FEWEST, GROUP, HIGHEST, LOWEST


def in_four_bits(weight: Tensor) -> Tensor:
    """What is stored of a weight: large matrices in 4 bits, everything else in 16."""
    if weight.ndim < 2 or weight.numel() < FEWEST or weight.shape[-1] % 2:
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
