"""Weights in 8 bits: a row of whole numbers n from -127 to 127, and one scale for the row.

    w ≈ scale · n,    scale = the largest |w| of the row / 127, in 12 significant bits

No weight is then off by more than half a scale, and 127 scales have no rounding error: rounding the
weights a second time does not change them. A row runs along the last axis of a matrix. Vectors,
which are few, stay in 16 bits.
"""

from collections.abc import Mapping

import numpy as np

LARGEST = 127
SCALE = ".scale"  # after the name of the weights that it belongs to


def packed(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Weights by name as they are stored, each matrix with its scales."""
    found: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        if weight.ndim > 1:
            found[name], found[name + SCALE] = rounded(weight)
        else:
            found[name] = weight.astype(np.float16)
    return found


def unpacked(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights again, float32; those without scales are left as they are."""
    scales = {name + SCALE for name in stored} & stored.keys()
    return {
        name: restored(values, stored[name + SCALE]) if name + SCALE in scales else values
        for name, values in stored.items()
        if name not in scales
    }


def rounded(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers, int8, and the scales of the rows, float32.

    >>> rounded(np.array([[1.0, -0.25], [0.0, 0.0]]))[0].tolist()
    [[127, -32], [0, 0]]
    """
    weights = weights.astype(np.float32)
    scale = _shortened(np.abs(weights).max(-1) / np.float32(LARGEST))
    # A row of zeros has the scale 0 and may be divided by anything.
    numbers = np.round(weights / np.where(scale > 0, scale, 1)[..., None])
    return np.clip(numbers, -LARGEST, LARGEST).astype(np.int8), scale


def _shortened(scale: np.ndarray) -> np.ndarray:
    """Rounded up to 12 significant bits: with a larger scale, no number is beyond 127."""
    return ((scale.view(np.uint32) + 0xFFF) & 0xFFFFF000).view(np.float32)


def restored(numbers: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The weights, float32."""
    return np.asarray(numbers.astype(np.float32) * scale.astype(np.float32)[..., None])
