"""Matrix products in 8 bits, for CPUs: oneDNN's, which PyTorch brings along.

Each row of the matrix has a scale of its own; what goes into the product is scaled as a whole, when
it comes.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from cloze.errors import UserError

_LARGEST = 127
_ZERO = 128  # what stands for 0 on the way in, where numbers have no sign


def eight_bit_product(
    weight: Tensor, bias: Tensor, dtype: torch.dtype = torch.float32
) -> Callable[[Tensor], Tensor]:
    """x W' + b, which comes out in `dtype`."""
    if not hasattr(torch.ops.onednn, "qlinear_pointwise"):
        raise UserError("this PyTorch computes nothing in 8 bits", fix="choose encoder:bf16")
    scales = weight.abs().amax(1).clamp(min=1e-12) / _LARGEST
    rows = (weight / scales[:, None]).round().to(torch.int8)
    packed = torch.ops.onednn.qlinear_prepack(rows, None)
    zeros = torch.zeros(len(rows), dtype=torch.int32)

    def product(x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        lowest, highest = torch.aminmax(flat)
        scale = max(float(torch.maximum(-lowest, highest)), 1e-12) / _LARGEST
        numbers = (flat * (1 / scale)).add_(_ZERO + 0.5).to(torch.uint8)  # cut off: rounded
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            numbers, scale, _ZERO, packed, scales, zeros, bias, 1.0, 0, dtype, "none", [], ""
        )
        return found.view(*x.shape[:-1], -1)

    return product
