"""Who computes what on a CPU: rows of the batch dealt out to threads, and the threads."""

import functools
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

ROWS_TOGETHER = 4  # how many a product in `steps.py` takes at once


class Share(NamedTuple):
    """Rows of one direction that a thread takes, the longest first."""

    direction: int
    first: Any  # [R], which row of a [T * B * D, ...] holds the sequence's first token
    lengths: Any  # [R]


def shares(lengths: Tensor, directions: int, threads: int) -> list[Share]:
    """Equal shares of all rows, one for each thread or a multiple of that.

    Sequences are dealt out like cards, longest first, so that all shares take about as long.
    """
    sizes = lengths.to(torch.int64).numpy()
    longest_first = np.argsort(-sizes, kind="stable")
    hands = _hands(len(sizes), directions, threads)
    return [
        Share(d, rows * directions + d, sizes[rows])
        for rows in (longest_first[k::hands] for k in range(hands))
        for d in range(directions)
    ]


def busy(sequences: int, directions: int) -> float:
    """How many of the threads have a share, 1 or more if all have."""
    threads = torch.get_num_threads()
    return _hands(sequences, directions, threads) * directions / threads


def _hands(sequences: int, directions: int, threads: int) -> int:
    return min(threads // math.gcd(threads, directions), -(-sequences // ROWS_TOGETHER))


def at_once(take: Callable[..., None], *columns: list[Any]) -> None:
    """Call take(...) for each entry of the columns, in as many threads as PyTorch uses."""
    calls = list(zip(*columns, strict=True))
    threads = max(1, min(torch.get_num_threads(), len(calls)))

    def several(k: int) -> None:
        for arguments in calls[k::threads]:
            take(*arguments)

    if threads == 1:
        several(0)
        return
    # A forked process has none of its parent's threads: it needs a pool of its own.
    others = _pool(os.getpid(), threads - 1)
    waiting = [others.submit(several, k) for k in range(1, threads)]
    several(0)
    for one in waiting:
        one.result()


@functools.cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix=f"recurrence-{process}")
