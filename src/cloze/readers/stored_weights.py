"""A network's weights as they are stored: in 32, 16, 8, 4 or 3 bits.

`cloze.eight_bits` and `cloze.few_bits` say how. They become 32 bits once, when they are loaded. How
they are multiplied is another choice (`cloze.readers.eight_bits`).
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from cloze import eight_bits, few_bits
from cloze.eight_bits import SCALE
from cloze.errors import UserError

Bits = Literal[32, 16, 8, 4, 3]
NAMES: dict[Bits, str] = {32: "float32", 16: "float16", 8: "int8", 4: "int4", 3: "int3"}
_PLAIN: dict[Bits, torch.dtype] = {32: torch.float32, 16: torch.float16}
_WHOLE: dict[Bits, Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]]] = {
    8: eight_bits.packed,
    4: partial(few_bits.packed, bits=4),
    3: partial(few_bits.packed, bits=3),
}
_PAIRS = torch.uint8  # two numbers of 4 bits or 3, coded
_DTYPES = (*_PLAIN.values(), torch.int8, _PAIRS)


def packed(weights: Mapping[str, Tensor], bits: Bits) -> dict[str, Tensor]:
    """The weights as they go into a file; they must be on the CPU."""
    if bits in _PLAIN:
        return {name: weight.to(_PLAIN[bits]) for name, weight in weights.items()}
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused by name
        stored = _WHOLE[bits]({name: weight.numpy() for name, weight in weights.items()})
    return {name: torch.from_numpy(values) for name, values in stored.items()}


def unpacked(stored: Mapping[str, Tensor], where: Path) -> dict[str, Tensor]:
    """The weights of a file, as a network takes them."""
    for name, values in stored.items():
        if values.dtype not in _DTYPES:
            what = f"'{name}' is stored as {values.dtype}, which no reader's weights are"
            raise UserError(what, where=where, fix="copy it again")
        if values.dtype in (torch.int8, _PAIRS) or name + SCALE in stored:
            _check_scales(name, values, stored.get(name + SCALE), where)
    arrays = {name: values.numpy() for name, values in stored.items()}
    try:
        found = eight_bits.unpacked(few_bits.unpacked(arrays))
    except ValueError as problem:
        raise UserError(str(problem), where=where, fix="copy it again") from None
    return {name: torch.from_numpy(values) for name, values in found.items()}


def _check_scales(name: str, values: Tensor, scale: Tensor | None, where: Path) -> None:
    expected, each = tuple(values.shape[:-1]), "row"
    if values.dtype == _PAIRS:
        groups = few_bits.groups_of(2 * values.shape[-1]) if values.ndim else 0
        expected, each = (*expected, groups), f"{few_bits.GROUP} numbers of a row"
    if scale is not None and values.dtype == _PAIRS and values.ndim == 1 and scale.ndim > 1:
        return  # coded: what they are will be known when they are read
    if scale is None or not values.ndim or tuple(scale.shape) != expected:
        what = f"'{name}' does not have one scale for each {each}"
        raise UserError(what, where=where, fix="copy it again")
