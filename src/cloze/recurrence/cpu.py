"""The peephole LSTM on a CPU: each thread takes its rows of the batch through all steps.

The loops are in `steps.py`. A thread has its own sequences and waits for no other thread until the
pass is over; only the large products (`gradients.py`) go through PyTorch's threads.
"""

import functools
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

DTYPES = (torch.float32, torch.float64)
ROWS_TOGETHER = 4  # how many a product in `steps.py` takes at once


def why_not(device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why the fast loops cannot run here, if so."""
    if dtype not in DTYPES:
        return f"{dtype} is neither float32 nor float64"
    try:
        _compiled("forward", dtype)
    except ImportError as error:
        return f"numba cannot be imported: {error}"
    return None


def padded_size(hidden: int, device: torch.device) -> int:
    """The hidden size that the loops use for `hidden` units: any will do."""
    return hidden


@functools.cache
def _compiled(name: str, dtype: torch.dtype) -> Callable[..., None]:
    """One of the two passes for one type, compiled now or taken from numba's cache."""
    import numba

    from cloze.recurrence import steps

    real = numba.float32 if dtype == torch.float32 else numba.float64
    rows, vector = real[:, ::1], numba.int64[::1]
    common = (real[::1], rows, rows, vector, vector, numba.int64, numba.boolean)
    signature = {
        "forward": numba.void(rows, rows, rows, rows, *common, numba.boolean),
        "backward": numba.void(rows, rows, rows, *common, numba.float64[::1]),
    }[name]
    compiled: Callable[..., None]
    try:
        compiled = numba.njit(signature, cache=True, nogil=True, **steps.FLAGS)(
            getattr(steps, name)
        )
    except (RuntimeError, OSError):  # there is nowhere to cache what was compiled
        compiled = numba.njit(signature, nogil=True, **steps.FLAGS)(getattr(steps, name))
    return compiled


class Share(NamedTuple):
    """Rows of one direction that a thread takes, the longest first."""

    direction: int
    first: Any  # [R], which row of a [T * B * D, ...] holds the sequence's first token
    lengths: Any  # [R]


def forward_pass(
    projected: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    reverse: tuple[bool, ...],
    *,
    keep: bool,
    overwrite: bool,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """h, and with `keep` the activated gates and the cells; `overwrite` stores gates in place."""
    T, B, D, H = (*projected.shape[:3], recurrent.shape[2])
    projected = projected.contiguous()
    hidden = projected.new_empty(T, B, D, H)
    gates = projected.new_empty(T, B, D, 4 * H) if keep and not overwrite else projected
    cells = projected.new_empty(T if keep else 0, B, D, H)
    W = [_in_blocks(one.T) for one in recurrent.detach().to(projected.dtype)]
    w = peepholes.detach().to(projected.dtype).contiguous().numpy()
    walk = _compiled("forward", projected.dtype)

    def take(share: Share) -> None:
        # If nothing is kept and the projected inputs are not ours, one step's gates suffice.
        own = gates if keep or overwrite else projected.new_empty(len(share.first), 4 * H)
        d, first, lengths = share
        arrays = map(_rows, (projected, own, cells, hidden))
        walk(*arrays, *W[d], w[d], first, lengths, B * D, reverse[d], overwrite)

    _at_once(take, _shares(lengths, D, torch.get_num_threads()))
    return (hidden, gates, cells) if keep else (hidden, None, None)


def backward_pass(
    grad_hidden: Tensor,
    gates: Tensor,
    cells: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    reverse: tuple[bool, ...],
) -> tuple[Tensor, Tensor]:
    """Gradients of the bias [D, 4H] and peepholes [D, 3, H]; overwrites the gates with theirs."""
    _, B, D, H = grad_hidden.shape
    grad_hidden = grad_hidden.to(gates.dtype).contiguous()
    W = [_in_blocks(one) for one in recurrent.detach().to(gates.dtype)]
    w = peepholes.detach().to(gates.dtype).contiguous().numpy()
    walk = _compiled("backward", gates.dtype)
    shares = _shares(lengths, D, torch.get_num_threads())
    sums = [np.zeros(7 * H) for _ in shares]  # float64: they have many terms

    def take(share: Share, total: Any) -> None:
        d, first, lengths = share
        arrays = map(_rows, (grad_hidden, gates, cells))
        walk(*arrays, *W[d], w[d], first, lengths, B * D, reverse[d], total)

    _at_once(take, shares, sums)
    total = torch.zeros(D, 7, H, dtype=torch.float64)
    for share, part in zip(shares, sums, strict=True):
        total[share.direction] += torch.from_numpy(part).view(7, H)
    return total[:, :4].flatten(1), total[:, 4:]


def _rows(tensor: Tensor) -> Any:
    """[T, B, D, N] as a NumPy array with one row for each token and direction."""
    return tensor.detach().view(-1, tensor.shape[-1]).numpy()


def _in_blocks(W: Tensor) -> tuple[Any, Any]:
    """W [K, N] in the blocks that `steps.add_products` takes, and the columns left over."""
    from cloze.recurrence import steps

    K, N = W.shape
    wide = steps.block_columns(W.itemsize)
    columns = N // wide * wide
    tall = -(-K // -(-K // steps.BLOCK_ROWS))
    bands = torch.split(W[:, :columns].reshape(K, -1, wide), tall) if columns else ()
    blocks = [band.transpose(0, 1).flatten() for band in bands]
    flat = torch.cat(blocks) if blocks else W.new_empty(0)
    return flat.numpy(), W[:, columns:].contiguous().numpy()


def _shares(lengths: Tensor, directions: int, threads: int) -> list[Share]:
    """Equal shares of all rows, one for each thread or a multiple of that.

    Sequences are dealt out like cards, longest first, so that all shares take about as long.
    """
    B = len(lengths)
    longest_first = torch.argsort(lengths, descending=True, stable=True).numpy()
    hands = min(threads // math.gcd(threads, directions), -(-B // ROWS_TOGETHER))
    sizes = lengths.to(torch.int64).numpy()
    return [
        Share(d, rows * directions + d, sizes[rows])
        for rows in (longest_first[k::hands] for k in range(hands))
        for d in range(directions)
    ]


def _at_once(take: Callable[..., None], *columns: list[Any]) -> None:
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
