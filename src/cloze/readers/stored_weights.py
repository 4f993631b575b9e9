"""A network's weights as they are stored: in 32, 16 or 8 bits (`cloze.eight_bits`).

It always computes in 32. Products of whole numbers would be quicker, but only if activations were
rounded too, and then an answer might depend on what it is batched with.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from cloze import eight_bits
from cloze.eight_bits import SCALE
from cloze.errors import UserError

Bits = Literal[32, 16, 8]
DTYPES: dict[Bits, torch.dtype] = {32: torch.float32, 16: torch.float16, 8: torch.int8}


def packed(weights: Mapping[str, Tensor], bits: Bits) -> dict[str, Tensor]:
    """The weights as they go into a file; they must be on the CPU."""
    if bits != 8:
        return {name: weight.to(DTYPES[bits]) for name, weight in weights.items()}
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused by name
        stored = eight_bits.packed({name: weight.numpy() for name, weight in weights.items()})
    return {name: torch.from_numpy(values) for name, values in stored.items()}


def unpacked(stored: Mapping[str, Tensor], where: Path) -> dict[str, Tensor]:
    """The weights of a file, as a network takes them."""
    for name, values in stored.items():
        if values.dtype not in DTYPES.values():
            what = f"'{name}' is stored as {values.dtype}, which no reader's weights are"
            raise UserError(what, where=where, fix="copy it again")
        if values.dtype == torch.int8 or name + SCALE in stored:
            _check_scales(name, values, stored.get(name + SCALE), where)
    found = eight_bits.unpacked({name: values.numpy() for name, values in stored.items()})
    return {name: torch.from_numpy(values) for name, values in found.items()}


def _check_scales(name: str, values: Tensor, scale: Tensor | None, where: Path) -> None:
    if scale is None or scale.shape != values.shape[:-1]:
        what = f"'{name}' does not have one scale for each row"
        raise UserError(what, where=where, fix="copy it again")
