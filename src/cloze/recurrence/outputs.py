"""Where the kernels for GPUs leave what a forward pass computes."""

import torch
from torch import Tensor


def outputs(
    projected: Tensor, hidden: int, *, keep: bool, overwrite: bool
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Room for h, and with `keep` for the gates (`overwrite`: where the inputs are) and cells."""
    size = (*projected.shape[:3], hidden)
    h = projected.new_empty(size)
    if not keep:
        return h, None, None
    gates = projected if overwrite else torch.empty_like(projected)
    return h, gates, projected.new_empty(size, dtype=torch.float32)
