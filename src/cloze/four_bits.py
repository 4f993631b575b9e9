"""Weights in 4 bits: groups of 128 whole numbers n from -8 to 7, and one scale for each group.

    w ≈ scale · n,    scale = the number of largest magnitude in the group / -8, in float16

The sign of the scale makes that number -8 scales, whichever side of zero it is on. So rounding the
weights a second time does not change them, and only numbers of the other sign can lie beyond 7.
A group is part of a row, which runs along the last axis of a matrix; the last group of a row may be
shorter. A byte holds n + 8 of two neighbours, the first in its low half. Small tensors are few and
worth their bits: they stay in 16.
"""

from collections.abc import Mapping

import numpy as np

from cloze.eight_bits import SCALE

GROUP = 128
FEWEST = 10_000  # numbers of a tensor that is rounded
LOWEST, HIGHEST = -8, 7


def packed(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Weights by name as they are stored, each large matrix with its scales."""
    found: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        # The length of a row is told by its bytes: an odd one is never cut into pairs.
        if weight.ndim > 1 and weight.size >= FEWEST and weight.shape[-1] % 2 == 0:
            numbers, found[name + SCALE] = rounded(weight)
            found[name] = in_pairs(numbers)
        else:
            found[name] = weight.astype(np.float16)
    return found


def unpacked(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights again, float32; what is not in 4 bits is left as it is."""
    pairs = {name for name, values in stored.items() if values.dtype == np.uint8}
    scales = {name + SCALE for name in pairs}
    return {
        name: restored(values, stored[name + SCALE]) if name in pairs else values
        for name, values in stored.items()
        if name not in scales
    }


def rounded(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers, int8, and the scales of the groups, float16 [..., groups].

    >>> numbers, scale = rounded(np.array([[1.0, -0.25, -1.0], [0.0, -4.0, 2.0]]))
    >>> numbers.tolist(), scale.tolist()
    ([[-8, 2, 7], [0, -8, 4]], [[-0.125], [0.5]])
    """
    groups = _in_groups(weights.astype(np.float32))
    highest, lowest = groups.max(-1), groups.min(-1)
    top = np.where(highest >= -lowest, highest, lowest)
    scale = (top / np.float32(LOWEST)).astype(np.float16) + np.float16(0)  # which turns -0 into 0
    # A group of the scale 0 may be divided by anything: its numbers are too small to count.
    steps = np.where(scale == 0, 1, scale).astype(np.float32)[..., None]
    numbers = np.clip(np.round(groups / steps), LOWEST, HIGHEST)
    # Only next to zero, where a float16 has few digits, is this not what the division says.
    is_top = (groups == top[..., None]) & (scale != 0)[..., None]
    numbers = np.where(is_top, LOWEST, numbers).astype(np.int8)
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
    stored = (numbers - LOWEST).astype(np.uint8)
    return np.asarray(stored[..., 0::2] | stored[..., 1::2] << 4)


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
    both = np.stack([byte & 15, byte >> 4], 1) + LOWEST
    return both.astype(np.float32).view(np.complex64)[:, 0]


_PAIRS = _pairs()
