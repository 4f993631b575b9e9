"""Matrix products in 8 bits, for CPUs: oneDNN's, which PyTorch brings along.

    y ≈ s · (n Nᵀ) · S + b,    x ≈ s · n,    W ≈ S · N

Each row of the matrix W has a scale of its own, and so has each row x that is multiplied with it. A
sum of whole numbers is exact, so what becomes of a row does not depend on the rows beside it.
"""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from cloze.eight_bits import LARGEST
from cloze.errors import UserError

_ZERO = 128  # what stands for 0 on the way in, where numbers have no sign
_LEAST = 1e-12  # of a scale, so that a row of zeros can be divided by it


class Rounded(NamedTuple):
    """Rows of whole numbers, uint8 [rows, size], and their scales, [rows, 1]."""

    numbers: Tensor
    scales: Tensor

    def backwards(self, first: int) -> "Rounded":
        """The first few rows from the last of them to the first; then the others."""
        both = (torch.cat([part[:first].flip(0), part[first:]]) for part in self)
        return Rounded(*both)


def rounded(x: Tensor) -> Rounded:
    """The rows of x, [rows, size], float32.

    >>> rounded(torch.tensor([[1.0, -0.25], [0.0, 0.0]])).numbers.tolist()
    [[255, 96], [128, 128]]
    """
    scales = x.abs().amax(1, keepdim=True).clamp_(min=_LEAST).div_(LARGEST)
    numbers = (x * (1 / scales)).add_(_ZERO + 0.5)  # what is cut off after that is rounded
    return Rounded(numbers.to(torch.uint8), scales)


class EightBitProduct:
    """x Wᵀ + b, of rows that are rounded already, since some go into more than one product."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        if (reason := why_never()) is not None:
            raise UserError(reason, fix="choose encoder:bf16")
        self._scales = weight.abs().amax(1).clamp_(min=_LEAST).div_(LARGEST)
        numbers = (weight / self._scales[:, None]).round_().to(torch.int8)
        self._packed = torch.ops.onednn.qlinear_prepack(numbers, None)
        self._zeros = torch.zeros(len(weight), dtype=torch.int32)
        self._bias = bias

    def __call__(self, x: Rounded) -> Tensor:
        sums = torch.ops.onednn.qlinear_pointwise(
            x.numbers,
            1.0,  # oneDNN would scale all rows alike
            _ZERO,
            self._packed,
            self._scales,
            self._zeros,
            None,
            1.0,
            0,
            torch.float32,
            "none",
            [],
            "",
        )
        return torch.addcmul(self._bias, sums, x.scales)


@cache
def why_never() -> str | None:
    """Why there are no such products here, if so."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return "this PyTorch comes without oneDNN"
    if not hasattr(torch.ops.onednn, "qlinear_pointwise"):
        return "this PyTorch computes nothing in 8 bits"
    return None


@cache
def why_not() -> str | None:
    """Why they are not the faster ones here, if so. Without VNNI, instructions for products of
    8 bits, they are hardly faster, and oneDNN's sums may overflow."""
    if (reason := why_never()) is not None:
        return reason
    return None if _has("_is_vnni_supported") else "this CPU has no AVX-512 VNNI"


@cache
def fast_in_sixteen_bits() -> bool:
    """Whether this CPU multiplies bfloat16, and does not only pretend to."""
    return _has("_is_avx512_bf16_supported")


def _has(name: str) -> bool:
    """What PyTorch says about the CPU; one that says nothing is not asked further."""
    said = getattr(torch.cpu, name, None)
    return said is not None and bool(said())
