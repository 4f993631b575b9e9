"""Odd hidden sizes: the same network with units added up to a size that the kernels have."""

import torch
from torch import Tensor


def widen(
    projected: Tensor, recurrent: Tensor, peepholes: Tensor, size: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The added units have no weights and no inputs, so they stay zero."""
    H = recurrent.shape[2]
    extra = size - H
    pad = torch.nn.functional.pad
    return (
        pad(projected.reshape(*projected.shape[:3], 4, H), (0, extra)).flatten(-2),
        pad(recurrent.reshape(-1, 4, H, H), (0, extra, 0, extra)).flatten(1, 2),
        pad(peepholes, (0, extra)),
    )
