"""Weights in 4 bits or 3: groups of 128 whole numbers n, and one scale for each group.

    w ≈ scale · n,    scale = the number of largest magnitude in the group / lowest, in float16

In 4 bits n goes from -8, its lowest, to 7, in 3 bits from -4 to 3. The sign of the scale makes the
largest number the lowest n, whichever side of zero it is on. So rounding the weights a second time
does not change them, and only numbers of the other sign can lie beyond the highest n. A group is
part of a row, which runs along the last axis of a matrix; the last group of a row may be shorter.
Small tensors are few and worth their bits: they stay in 16. So are tables of which a text reads
only some rows: training hardly sees the rare ones, so that they keep 4 bits.

A byte holds n + 8 of two neighbours, the first in its low half. Numbers near zero are many and
those at the ends few, so that Huffman's code, in the form of deflate, takes 3.5 bits for one of the
16 and 2.6 for one of the 8; the bytes of a matrix are stored in it, as a vector.
"""

import zlib
from collections.abc import Mapping
from typing import Literal

import numpy as np

from cloze.eight_bits import SCALE

FewBits = Literal[3, 4]
GROUP = 128
FEWEST = 10_000  # numbers of a tensor that is rounded
TABLES = ("embedding.weight", "position.weight")
_ZERO = 8  # what stands for 0 in half a byte


def bits_of(name: str, bits: FewBits) -> FewBits:
    """How many bits the numbers of this tensor have."""
    return 4 if name.endswith(TABLES) else bits


def lowest_of(bits: FewBits) -> int:
    """The lowest of the whole numbers; the highest is one less from zero."""
    return -(1 << (bits - 1))


def packed(weights: Mapping[str, np.ndarray], bits: FewBits) -> dict[str, np.ndarray]:
    """Weights by name as they are stored, each large matrix with its scales."""
    found: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        # The length of a row is told by its bytes: an odd one is never cut into pairs.
        if weight.ndim > 1 and weight.size >= FEWEST and weight.shape[-1] % 2 == 0:
            numbers, found[name + SCALE] = rounded(weight, bits_of(name, bits))
            found[name] = deflated(in_pairs(numbers))
        else:
            found[name] = weight.astype(np.float16)
    return found


def unpacked(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights again, float32; what is not in few bits is left as it is. Bytes that are not what
    `packed` made raise a ValueError that begins with the name."""
    pairs = {name for name, values in stored.items() if values.dtype == np.uint8}
    scales = {name + SCALE for name in pairs}
    found = {}
    for name, values in stored.items():
        if name in pairs:
            scale = stored[name + SCALE]
            try:
                found[name] = restored(inflated(values, scale.shape), scale)
            except ValueError as problem:
                raise ValueError(f"'{name}' {problem}") from None
        elif name not in scales:
            found[name] = values
    return found


def rounded(weights: np.ndarray, bits: FewBits) -> tuple[np.ndarray, np.ndarray]:
    """The numbers, int8, and the scales of the groups, float16 [..., groups].

    >>> numbers, scale = rounded(np.array([[1.0, -0.25, -1.0], [0.0, -4.0, 2.0]]), 4)
    >>> numbers.tolist(), scale.tolist()
    ([[-8, 2, 7], [0, -8, 4]], [[-0.125], [0.5]])
    """
    lowest = lowest_of(bits)
    groups = _in_groups(weights.astype(np.float32))
    most, least = groups.max(-1), groups.min(-1)
    top = np.where(most >= -least, most, least)
    scale = (top / np.float32(lowest)).astype(np.float16) + np.float16(0)  # which turns -0 into 0
    # A group of the scale 0 may be divided by anything: its numbers are too small to count.
    steps = np.where(scale == 0, 1, scale).astype(np.float32)[..., None]
    numbers = np.clip(np.round(groups / steps), lowest, -lowest - 1)
    # Only next to zero, where a float16 has few digits, is this not what the division says.
    is_top = (groups == top[..., None]) & (scale != 0)[..., None]
    numbers = np.where(is_top, lowest, numbers).astype(np.int8)
    return numbers.reshape(*weights.shape[:-1], -1)[..., : weights.shape[-1]], scale


def _in_groups(weights: np.ndarray) -> np.ndarray:
    """[..., groups, 128], with zeros behind the end of a row."""
    missing = -weights.shape[-1] % GROUP
    whole = np.pad(weights, [(0, 0)] * (weights.ndim - 1) + [(0, missing)])
    return whole.reshape(*weights.shape[:-1], -1, GROUP)


def groups_of(numbers: int) -> int:
    """How many scales a row of this many numbers has."""
    return -(-numbers // GROUP)


def in_pairs(numbers: np.ndarray) -> np.ndarray:
    """Two numbers a byte, uint8 [..., half as many].

    >>> [hex(byte) for byte in in_pairs(np.array([-8, 7, 0, 1]))]
    ['0xf0', '0x98']
    """
    stored = (numbers + _ZERO).astype(np.uint8)
    return np.asarray(stored[..., 0::2] | stored[..., 1::2] << 4)


def deflated(pairs: np.ndarray) -> np.ndarray:
    """The bytes in Huffman's code alone: there are no repetitions to find."""
    coder = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    return np.frombuffer(bytearray(coder.compress(pairs.tobytes()) + coder.flush()), np.uint8)


def inflated(code: np.ndarray, scales: tuple[int, ...]) -> np.ndarray:
    """The pairs of a matrix again, whose scales have this shape."""
    if code.ndim > 1:  # as they were stored before they were coded
        return code
    *rows, groups = scales
    count = int(np.prod(rows))
    most = count * groups * GROUP // 2
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = decoder.decompress(code.tobytes(), most + 1)
    except zlib.error as problem:
        raise ValueError(f"is not in the code of its bits ({problem})") from None
    length = len(content) // count if count else 0
    whole = decoder.eof and not decoder.unused_data and length * count == len(content)
    if not whole or groups_of(2 * length) != groups:
        raise ValueError(f"does not have one scale for each {GROUP} numbers of a row")
    return np.frombuffer(content, np.uint8).reshape(*rows, length)


def restored(pairs: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The weights, float32."""
    found = _PAIRS.take(pairs).view(np.float32)
    scale = scale.astype(np.float32)
    for group in range(scale.shape[-1]):
        found[..., group * GROUP : (group + 1) * GROUP] *= scale[..., group, None]
    return found


def _pairs() -> np.ndarray:
    """What each byte stands for: two float32 numbers, held as one complex number of 64 bits."""
    byte = np.arange(256)
    both = np.stack([byte & 15, byte >> 4], 1) - _ZERO
    return both.astype(np.float32).view(np.complex64)[:, 0]


_PAIRS = _pairs()
