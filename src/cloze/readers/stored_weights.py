"""Weights as they are stored: in 32, 16 or 8 bits.

In 8 bits, a row of a matrix is a row of whole numbers n from -127 to 127 and one number more:

    w ≈ scale · n,    scale = the largest |w| of the row / 127

so that no weight is off by more than half a scale. Vectors, which are few, stay in 16 bits. A
network always computes in 32: the products with n would be quicker, but only if the activations
were rounded too, and then an answer would depend on what it is batched with.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from cloze.errors import UserError

Bits = Literal[32, 16, 8]
DTYPES: dict[Bits, torch.dtype] = {32: torch.float32, 16: torch.float16, 8: torch.int8}
LARGEST = 127
SCALE = ".scale"  # after the name of the weights that it belongs to


def packed(weights: Mapping[str, Tensor], bits: Bits) -> dict[str, Tensor]:
    """The weights as they go into a file."""
    found: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if bits == 8 and weight.ndim > 1:
            found[name], found[name + SCALE] = _rounded(weight.float())
        else:
            found[name] = weight.to(torch.float32 if bits == 32 else torch.float16)
    return found


def unpacked(stored: Mapping[str, Tensor], where: Path) -> dict[str, Tensor]:
    """The weights of a file, as a network takes them."""
    rounded = {name for name, values in stored.items() if values.dtype == torch.int8}
    scales = {name + SCALE for name in rounded}
    found = {name: values for name, values in stored.items() if name not in scales}
    for name in rounded:
        scale = stored.get(name + SCALE)
        if scale is None or scale.shape != stored[name].shape[:-1]:
            raise UserError(
                f"'{name}' does not have one scale for each row", where=where, fix="copy it again"
            )
        found[name] = stored[name].float() * scale.float()[..., None]
    return found


def _rounded(weight: Tensor) -> tuple[Tensor, Tensor]:
    scale = weight.abs().amax(-1) / LARGEST
    # A row of zeros has the scale 0 and may be divided by anything.
    number = (weight / torch.where(scale > 0, scale, 1.0)[..., None]).round()
    return number.clamp(-LARGEST, LARGEST).to(torch.int8), scale
