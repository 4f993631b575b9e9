"""The peephole LSTM on a CPU: each thread takes its rows of the batch through all steps.

The loops are in `steps.py`. A thread has its own sequences and waits for no other thread until the
pass is over. Here inputs come projected, and large products of the gradients go through PyTorch's
threads; `fused.py` has a layer whose threads do everything.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from cloze.recurrence.loops import compiled, nothing, plain, rows
from cloze.recurrence.reused import empty
from cloze.recurrence.shares import Share, at_once, shares

DTYPES = (torch.float32, torch.float64)


def why_not(device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why the fast loops cannot run here, if so."""
    if dtype not in DTYPES:
        return f"{dtype} is neither float32 nor float64"
    try:
        compiled("forward", dtype)
    except ImportError as error:
        return f"numba cannot be imported: {error}"
    return None


def padded_size(hidden: int, device: torch.device) -> int:
    """The hidden size that the loops use for `hidden` units: any will do."""
    return hidden


def project(x: Tensor, W_x: Tensor, bias: Tensor) -> Tensor:
    """W_x x + b for every token. The sums are those of `fused.py` to the last bit."""
    x = x.contiguous()
    out = empty(x, *x.shape[:-1], len(bias))
    W, b = plain(W_x, x), plain(bias, x)
    threads = torch.get_num_threads()
    parts = zip(np.array_split(rows(x), threads), np.array_split(rows(out), threads), strict=True)
    multiply = compiled("project", x.dtype)
    at_once(lambda part: multiply(part[0], b, W, part[1]), list(parts))
    return out


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
    gates = projected if overwrite else empty(projected, T if keep else 0, B, D, 4 * H)
    cells, hidden = (empty(projected, steps, B, D, H) for steps in (T if keep else 0, T))
    W, w = plain(recurrent, projected), plain(peepholes, projected)
    none = nothing(projected)
    walk = compiled("forward", projected.dtype)

    def take(share: Share) -> None:
        d, first, lengths = share
        arrays = map(rows, (gates, cells, hidden))
        place = (first, lengths, B * D, D, reverse[d])
        walk(rows(projected), none.ravel(), none, *arrays, W[d], w[d], *place, overwrite)

    at_once(take, shares(lengths, D, torch.get_num_threads()))
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
    W, w = plain(recurrent, gates), plain(peepholes, gates)
    none = nothing(gates)
    walk = compiled("backward", gates.dtype)
    dealt = shares(lengths, D, torch.get_num_threads())
    sums = [np.zeros(7 * H) for _ in dealt]  # float64: they have many terms

    def take(share: Share, total: Any) -> None:
        d, first, lengths = share
        arrays = map(rows, (grad_hidden, gates, cells))
        place = (first, lengths, B * D, D, reverse[d])
        walk(*arrays, none, none, none, W[d], w[d], *place, total, none, none)

    at_once(take, dealt, sums)
    return of_bias_and_peepholes(dealt, sums, D, H)


def of_bias_and_peepholes(
    dealt: list[Share], sums: list[Any], D: int, H: int
) -> tuple[Tensor, Tensor]:
    """The gradients [D, 4H] and [D, 3, H] from the shares' sums."""
    total = torch.zeros(D, 7, H, dtype=torch.float64)
    for share, part in zip(dealt, sums, strict=True):
        total[share.direction] += torch.from_numpy(part).view(7, H)
    return total[:, :4].flatten(1), total[:, 4:]
