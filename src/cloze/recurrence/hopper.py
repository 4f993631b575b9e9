"""The peephole LSTM on a Hopper GPU: one kernel for all steps of a pass, weights in registers.

The kernels in `hopper_kernels/` compute in float32, or on the tensor cores in TF32 if PyTorch may
use it for matrix products or the storage is bfloat16. Inputs, gates and outputs are stored as
float32 or bfloat16. Everything that is one large product is left to cuBLAS (`gradients.py`).
"""

import ctypes
import functools
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from cloze.recurrence import driver, images, nvrtc
from cloze.recurrence.outputs import outputs, split

HIDDEN_SIZES = (64, 128, 256)
LARGEST_TILE = 64
UNITS, THREADS = 32, 256  # of one block
STORAGE = {torch.float32: "float", torch.bfloat16: "bfloat16"}
KERNELS = Path(__file__).parent / "hopper_kernels"
SOURCES = ("device.cuh", "cluster.cuh", "products.cuh", "products_tf32.cuh")


@dataclass(frozen=True)
class Kernel:
    """One compiled kernel."""

    forward: bool
    hidden: int
    rows: int  # of a group: 1, 2, 4 or 8 sequences
    tensor: bool  # the sums over hidden units go through the tensor cores
    storage: str

    @property
    def blocks(self) -> int:
        """Of a cluster."""
        return self.hidden // UNITS

    def memory(self, tile: int) -> int:
        """Bytes of shared memory of a block, as in forward.cuh and backward.cuh."""
        groups = tile // self.rows
        exchanged = 0 if self.forward else tile * 4 * UNITS
        return 4 * (2 * tile * self.hidden + exchanged + groups * THREADS + tile + groups)

    def source(self) -> str:
        defines: dict[str, object] = {
            "FORWARD": int(self.forward),
            "HIDDEN": self.hidden,
            "GROUP_ROWS": self.rows,
        }
        defines |= {"TENSOR": int(self.tensor), "STORAGE": self.storage}
        files = (*SOURCES, "forward.cuh" if self.forward else "backward.cuh", "entry.cuh")
        return images.source(KERNELS, files, defines)


Pointers = ctypes.c_void_p * 4


class Work(ctypes.Structure):
    """The kernels' only argument: Problem in cluster.cuh, then what Forward or Backward add."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("T", "B", "D", "tile")),
        ("reversed", ctypes.c_uint),
        *((name, ctypes.c_void_p) for name in ("lengths", "recurrent", "peepholes")),
        ("tensors", Pointers),
    )


def padded_size(hidden: int, device: torch.device) -> int:
    """The hidden size that the kernels use for `hidden` units; the rest are zeros."""
    return next(size for size in HIDDEN_SIZES if size >= hidden)


@functools.cache
def why_not(device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why the kernels cannot run these sizes on this device, if so."""
    if torch.version.hip is not None or torch.cuda.get_device_capability(device) != (9, 0):
        return f"{torch.cuda.get_device_name(device)} is not of the Hopper generation"
    if hidden > HIDDEN_SIZES[-1]:
        return f"hidden size {hidden} is over {HIDDEN_SIZES[-1]}"
    if dtype not in STORAGE:
        return f"{dtype} is neither float32 nor bfloat16"
    try:
        resident = resident_clusters(padded_size(hidden, device), STORAGE[dtype], device)
    except (nvrtc.CannotCompile, OSError, RuntimeError) as error:
        return str(error)
    return None if resident else "this part of a GPU has no room for a cluster of blocks"


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
    projected = projected.contiguous()
    hidden, gates, cells = outputs(projected, recurrent.shape[2], keep=keep, overwrite=overwrite)
    weights = _weights(lengths, recurrent, peepholes)
    _launch(True, hidden, reverse, weights, (projected, gates, cells, hidden))
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
    tile = tile_size(B, D, resident_clusters(H, STORAGE[gates.dtype], gates.device))
    sums = cells.new_empty(-(-B // tile), D * 7 * H)
    weights = _weights(lengths, recurrent, peepholes)
    grad_hidden = grad_hidden.to(gates.dtype).contiguous()
    _launch(False, grad_hidden, reverse, weights, (grad_hidden, cells, gates, sums))
    return split(sums, D, H)


def tile_size(batch: int, directions: int, resident: int) -> int:
    """Sequences per cluster: the fewest that keep all clusters busy for the same rounds."""
    per_direction = max(resident // directions, 1)
    rounds = -(-batch // (per_direction * LARGEST_TILE))
    tile = -(-batch // (per_direction * rounds))
    return next((small for small in (1, 2, 4) if tile <= small), -(-tile // 8) * 8)


@functools.cache
def resident_clusters(hidden: int, storage: str, device: torch.device) -> int:
    """How many clusters run at once on the device with tiles of 8 sequences."""
    kernel = Kernel(False, hidden, 8, False, storage)
    function, memory = loaded(kernel, device), kernel.memory(8)
    return driver.clusters_at_once(function, kernel.blocks, THREADS, memory, driver.index(device))


@functools.cache
def loaded(kernel: Kernel, device: torch.device) -> ctypes.c_void_p:
    """The kernel, allowed the shared memory of the largest tile."""
    image = images.image(kernel.source(), "sm_90")
    largest = kernel.memory(max(kernel.rows, LARGEST_TILE if kernel.rows == 8 else 0))
    return driver.function(image, "hopper_pass", driver.index(device), largest)


def _weights(lengths: Tensor, recurrent: Tensor, peepholes: Tensor) -> tuple[Tensor, ...]:
    W_h = recurrent.float().contiguous()
    return (
        lengths.to(recurrent.device, torch.int64).contiguous(),
        W_h if W_h.data_ptr() % 16 == 0 else W_h.clone(),  # read 16 bytes at a time
        peepholes.float().contiguous(),
    )


def _launch(
    forward: bool,
    shaped: Tensor,
    reverse: tuple[bool, ...],
    weights: tuple[Tensor, ...],
    tensors: tuple[Tensor | None, ...],
) -> None:
    """Queue one pass; `shaped` is one of its [T, B, D, H] tensors, of the storage type."""
    (T, B, D, H), storage = shaped.shape, STORAGE[shaped.dtype]
    tile = tile_size(B, D, resident_clusters(H, storage, shaped.device))
    tf32 = storage == "bfloat16" or torch.get_float32_matmul_precision() != "highest"
    tensor = tf32 and tile % 8 == 0 and HIDDEN_SIZES[-1] == H
    kernel = Kernel(forward, H, min(tile, 8), tensor, storage)
    work = Work(T, B, D, tile, sum(1 << d for d in range(D) if reverse[d]))
    work.lengths, work.recurrent, work.peepholes = (tensor.data_ptr() for tensor in weights)
    pointers = (None if tensor is None else tensor.data_ptr() for tensor in tensors)
    work.tensors = Pointers(*pointers)
    run(kernel, -(-B // tile) * D, shaped.device, work)


def run(kernel: Kernel, clusters: int, device: torch.device, work: Work) -> None:
    prepared(kernel, clusters, work.tile, device)(work)


@functools.cache
def prepared(kernel: Kernel, clusters: int, tile: int, device: torch.device) -> driver.Queue:
    """A function that queues the kernel."""
    sizes = (clusters, kernel.blocks, THREADS, kernel.memory(tile), driver.index(device))
    return driver.prepared_clusters(loaded(kernel, device), *sizes)
