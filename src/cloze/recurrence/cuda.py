"""The peephole LSTM on a Hopper GPU: one kernel for all steps of a pass, weights in registers.

The kernels (`forward.cuh`, `backward.cuh`) compute in float32, or on the tensor cores in TF32 if
PyTorch may use it for matrix products or the storage is bfloat16. Inputs, gates and outputs are
stored as float32 or bfloat16. Everything that is one large product is left to cuBLAS
(`gradients.py`).
"""

import ctypes
import functools

import torch
from torch import Tensor

from cloze.recurrence import build

HIDDEN_SIZES = (64, 128, 256)
LARGEST_TILE = 64
STORAGE = {torch.float32: "float", torch.bfloat16: "__nv_bfloat16"}


def padded_size(hidden: int) -> int:
    """The hidden size that the kernels use for `hidden` units; the rest are zeros."""
    return next(size for size in HIDDEN_SIZES if size >= hidden)


@functools.cache
def why_not(device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why the kernels cannot run these sizes on this device, if so."""
    if torch.cuda.get_device_capability(device) != (9, 0):
        return f"{torch.cuda.get_device_name(device)} is not of the Hopper generation"
    if hidden > HIDDEN_SIZES[-1]:
        return f"hidden size {hidden} is over {HIDDEN_SIZES[-1]}"
    if dtype not in STORAGE:
        return f"{dtype} is neither float32 nor bfloat16"
    try:
        build.library(padded_size(hidden), STORAGE[dtype])
    except build.CannotBuild as error:
        return str(error)
    return None


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
    gates = cells = None
    if keep:
        gates = projected if overwrite else torch.empty_like(projected)
        cells = torch.empty(T, B, D, H, dtype=torch.float32, device=projected.device)
    kernels = build.library(H, STORAGE[projected.dtype])
    weights = _weights(lengths, recurrent, peepholes)
    _launch(kernels, "forward", hidden, reverse, (*weights, projected, gates, cells, hidden))
    return hidden, gates, cells


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
    kernels = build.library(H, STORAGE[gates.dtype])
    tile = tile_size(B, D, _resident_clusters(kernels, gates.device))
    sums = torch.empty(-(-B // tile), D, 7, H, dtype=torch.float32, device=gates.device)
    weights = _weights(lengths, recurrent, peepholes)
    grad_hidden = grad_hidden.to(gates.dtype).contiguous()
    _launch(kernels, "backward", grad_hidden, reverse, (*weights, grad_hidden, cells, gates, sums))
    total = sums.sum(dim=0)
    return total[:, :4].flatten(1), total[:, 4:]


def tile_size(batch: int, directions: int, resident: int) -> int:
    """Sequences per cluster: the fewest that keep all clusters busy for the same rounds."""
    per_direction = max(resident // directions, 1)
    rounds = -(-batch // (per_direction * LARGEST_TILE))
    tile = -(-batch // (per_direction * rounds))
    return next((small for small in (1, 2, 4) if tile <= small), -(-tile // 8) * 8)


@functools.cache
def _resident_clusters(kernels: ctypes.CDLL, device: torch.device) -> int:
    count = ctypes.c_int(0)
    error = kernels.peephole_resident_clusters(device.index or 0, ctypes.byref(count))
    _check(kernels, error)
    return count.value


def _weights(lengths: Tensor, recurrent: Tensor, peepholes: Tensor) -> tuple[Tensor, ...]:
    return (
        lengths.to(recurrent.device, torch.int64).contiguous(),
        recurrent.to(torch.float32).contiguous(),
        peepholes.to(torch.float32).contiguous(),
    )


def _launch(
    kernels: ctypes.CDLL,
    name: str,
    shaped: Tensor,
    reverse: tuple[bool, ...],
    arguments: tuple[Tensor | None, ...],
) -> None:
    """Queue one pass; `shaped` is one of its [T, B, D, H] tensors, of the storage type."""
    (T, B, D, _), device = shaped.shape, shaped.device
    error = getattr(kernels, f"peephole_{name}")(
        device.index or 0,
        torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else None,
        T,
        B,
        D,
        tile_size(B, D, _resident_clusters(kernels, device)),
        int(shaped.dtype == torch.bfloat16 or torch.get_float32_matmul_precision() != "highest"),
        sum(1 << d for d in range(D) if reverse[d]),
        *(None if tensor is None else tensor.data_ptr() for tensor in arguments),
    )
    _check(kernels, error)


def _check(kernels: ctypes.CDLL, error: int) -> None:
    if error:
        message = kernels.peephole_error(error).decode()
        raise RuntimeError(f"the CUDA recurrence failed: {message}")


def widen(projected: Tensor, recurrent: Tensor, peepholes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The same network with units added up to a size the kernels have; the added ones stay zero."""
    H = recurrent.shape[2]
    extra = padded_size(H) - H
    pad = torch.nn.functional.pad
    return (
        pad(projected.reshape(*projected.shape[:3], 4, H), (0, extra)).flatten(-2),
        pad(recurrent.reshape(-1, 4, H, H), (0, extra, 0, extra)).flatten(1, 2),
        pad(peepholes, (0, extra)),
    )
