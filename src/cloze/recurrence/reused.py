"""Large arrays in memory that earlier ones have left.

The C library gives large blocks back to the system, and a new one has to be mapped page by page:
in training that takes as long as a third of the forward pass.
"""

import math
import os
import threading
import weakref

import numpy as np
import torch
from torch import Tensor

LARGE = 4 << 20  # bytes; the C library keeps small blocks by itself
UNIT = 1 << 20  # sizes are multiples of it, so that nearly equal ones can share
DTYPES = {torch.float32: np.float32, torch.float64: np.float64}


class Blocks:
    """Blocks that nothing uses any more, the longest unused first."""

    def __init__(self, most: int) -> None:
        self.most = most  # bytes
        self.free: list[np.ndarray] = []
        self.lock = threading.RLock()  # an array may end while its own thread is in here

    def take(self, size: int) -> np.ndarray:
        size = -(-size // UNIT) * UNIT
        with self.lock:
            fitting = [k for k, block in enumerate(self.free) if size <= len(block) <= 2 * size]
            if fitting:
                return self.free.pop(min(fitting, key=lambda k: len(self.free[k])))
        return np.empty(size, np.uint8)

    def give_back(self, block: np.ndarray) -> None:
        with self.lock:
            self.free.append(block)
            while sum(map(len, self.free)) > self.most:
                self.free.pop(0)


def _a_quarter_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, OSError, ValueError):  # not on this system
        return 1 << 30


BLOCKS = Blocks(_a_quarter_of_memory())


def empty(like: Tensor, *shape: int) -> Tensor:
    """As `like.new_empty(shape)`. Its memory is used again as soon as nothing holds it."""
    size = math.prod(shape) * like.itemsize
    if size < LARGE or like.dtype not in DTYPES:
        return like.new_empty(shape)
    block = BLOCKS.take(size)
    numbers = block[:size].view(DTYPES[like.dtype])
    weakref.finalize(numbers, BLOCKS.give_back, block).atexit = False
    return torch.from_numpy(numbers).view(shape)
