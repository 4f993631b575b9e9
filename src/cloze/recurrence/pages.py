"""Large tensors whose memory comes in huge pages.

Memory that is new to a process is mapped page by page as it is first written. For a hundred
megabytes in pages of four kibibytes that takes as long as the recurrence; in huge pages, a quarter.
"""

import ctypes
import functools
import sys
from collections.abc import Callable

import torch
from torch import Tensor

LEAST = 4 << 20  # bytes; smaller tensors usually get memory that was mapped before
PAGE = 4096
MADV_HUGEPAGE = 14


def large(like: Tensor, *size: int) -> Tensor:
    """An empty tensor with another's dtype, in huge pages where it is large and Linux has them."""
    tensor = torch.empty(size, dtype=like.dtype)
    advise = _advise()
    if advise is not None and tensor.nbytes >= LEAST:
        begin = -(-tensor.data_ptr() // PAGE) * PAGE
        end = tensor.data_ptr() + tensor.nbytes
        advise(begin, end - begin, MADV_HUGEPAGE)  # advice: it is no error if there are none
    return tensor


@functools.cache
def _advise() -> Callable[[int, int, int], int] | None:
    if sys.platform != "linux":
        return None
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return advise
