"""The loops of `steps.py`, compiled, and tensors as they take them."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


@functools.cache
def compiled(name: str, dtype: torch.dtype) -> Callable[..., None]:
    """One of the loops for one type, compiled now or taken from numba's cache."""
    import numba

    from cloze.recurrence import steps

    real = numba.float32 if dtype == torch.float32 else numba.float64
    rows, numbers, places, whole = real[:, ::1], real[::1], numba.int64[::1], numba.int64
    walk = (rows, rows, places, places, whole, whole, numba.boolean)
    signature = {
        "project": numba.void(rows, numbers, rows, rows),
        "forward": numba.void(rows, numbers, rows, rows, rows, rows, *walk, numba.boolean),
        "backward": numba.void(*[rows] * 6, *walk, numba.float64[::1], rows, rows),
    }[name]
    result: Callable[..., None]
    try:
        result = numba.njit(signature, cache=True, nogil=True, **steps.FLAGS)(getattr(steps, name))
    except (RuntimeError, OSError):  # there is nowhere to cache what was compiled
        result = numba.njit(signature, nogil=True, **steps.FLAGS)(getattr(steps, name))
    return result


def rows(tensor: Tensor) -> Any:
    """[..., N] as a NumPy array with one row for each token and direction."""
    return tensor.detach().view(-1, tensor.shape[-1]).numpy()


def plain(weights: Tensor, like: Tensor) -> Any:
    """Weights with the dtype of what they are multiplied with."""
    return weights.detach().to(like.dtype).contiguous().numpy()


def nothing(like: Tensor) -> Any:
    """What loops get for rows that they do not need."""
    return torch.empty(0, 0, dtype=like.dtype).numpy()


def whole_blocks(columns: int, itemsize: int) -> int:
    """So many columns that they are whole blocks."""
    from cloze.recurrence import steps

    wide = steps.block_columns(itemsize)
    return -(-columns // wide) * wide
