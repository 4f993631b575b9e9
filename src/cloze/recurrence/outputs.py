"""Where the kernels for GPUs leave what they compute."""

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


def split(sums: Tensor, D: int, H: int) -> tuple[Tensor, Tensor]:
    """Gradients of the bias [D, 4H] and the peepholes [D, 3, H] from sums [parts, D * 7H]."""
    total = sums[0] if len(sums) == 1 else sums.sum(dim=0)
    end = D * 4 * H
    return total[:end].view(D, 4 * H), total[end:].view(D, 3, H)
