"""The peephole LSTM on any NVIDIA GPU from Turing on: one kernel for all steps of a pass, or, where
layers and batches are large, one for each (`stepwise.py`).

The kernels in `portable_kernels/` are compiled when they are first needed, by a library that comes
with PyTorch (`nvrtc.py`), for this GPU and the sizes that `plan.py` chooses. They multiply in
float32, or on the tensor cores: in TF32 if PyTorch may use it, in bfloat16 if that is stored.
"""

import ctypes
import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import torch
from torch import Tensor

from cloze.recurrence import driver, images, nvrtc, stepwise
from cloze.recurrence.arrange import arranged
from cloze.recurrence.outputs import outputs, split
from cloze.recurrence.plan import (
    FEW_UNITS,
    LARGEST,
    STEP_UNITS,
    THREADS,
    UNITS,
    Gpu,
    Plan,
    choose,
)

KERNELS = Path(__file__).parent / "portable_kernels"
SHARED, PRODUCTS = ("device.cuh", "shape.cuh", "cells.cuh"), ("read.cuh", "products.cuh")
STORAGE = {torch.float32: "float", torch.bfloat16: "bfloat16"}
MATHS = ("plain", "tf32", "bf16", "few")
# With so few units and sequences, tensor cores cost more time than they save.
FEW_SEQUENCES = 256
TRIAL = 'extern "C" __global__ void trial() {}'


class Work(ctypes.Structure):
    """The kernels' only argument, as in shape.cuh."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("lengths", "weights", "peepholes", "arrived")),
        *((name, ctypes.c_void_p) for name in ("inputs", "gates", "cells", "hidden", "sums")),
        *((name, ctypes.c_void_p) for name in ("operand", "product", "carried")),
        *((name, ctypes.c_int) for name in ("T", "B", "D", "groups", "teams", "step")),
        ("reversed", ctypes.c_uint),
    )


def padded_size(hidden: int, device: torch.device) -> int:
    """The hidden size that the kernels use for `hidden` units; the rest are zeros."""
    return _padded_size(hidden, gpu(device).multiprocessors)


@functools.cache
def _padded_size(hidden: int, room: int) -> int:
    # A GPU with few multiprocessors needs blocks of many units, which must divide the size.
    fitting = (u for u in UNITS if u >= STEP_UNITS and -(-hidden // u) <= room)
    units = next(fitting, STEP_UNITS) if hidden <= LARGEST else STEP_UNITS
    return -(-hidden // units) * units


@functools.cache
def why_not(device: torch.device, hidden: int, dtype: torch.dtype) -> str | None:
    """Why the kernels cannot run these sizes on this device, if so."""
    if torch.version.hip is not None:
        return "this is not an NVIDIA GPU"
    if torch.cuda.get_device_capability(device) < (7, 5):
        return f"{torch.cuda.get_device_name(device)} is older than compute capability 7.5"
    if dtype not in STORAGE:
        return f"{dtype} is neither float32 nor bfloat16"
    try:  # what can go wrong on a new GPU or with an old driver would also go wrong here
        image = nvrtc.compiled(TRIAL, images.target(device))
        driver.function(image, "trial", driver.index(device), 0)
        gpu(device)
    except (nvrtc.CannotCompile, OSError, RuntimeError) as error:
        return str(error)
    return None


@functools.cache
def gpu(device: torch.device) -> Gpu:
    multiprocessors = torch.cuda.get_device_properties(device).multi_processor_count
    memory = driver.attribute(driver.SHARED_MEMORY_OF_A_BLOCK, driver.index(device))
    return Gpu(multiprocessors, memory)


@functools.cache
def has_tensor_cores(device: torch.device) -> bool:
    """Those that multiply TF32 and bfloat16."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0)


def how(dtype: torch.dtype, device: torch.device, hidden: int, sequences: int) -> tuple[str, str]:
    """How to multiply, and what is stored."""
    tensor_cores = has_tensor_cores(device)
    if dtype == torch.bfloat16 and tensor_cores:
        return "bf16", "bfloat16"
    tf32 = torch.get_float32_matmul_precision() != "highest" and dtype == torch.float32
    few = hidden <= FEW_UNITS and sequences <= FEW_SEQUENCES
    return "tf32" if tf32 and tensor_cores and not few else "plain", STORAGE[dtype]


def source(plan: Plan) -> str:
    """The CUDA C++ of one kernel."""
    defines = {name.upper(): number for number, name in enumerate(MATHS)} | {
        "FORWARD": int(plan.forward),
        "HIDDEN": plan.hidden,
        "UNITS": plan.units,
        "TILE": plan.tile,
        "MATH": "PLAIN" if plan.stepwise else plan.math.upper(),  # cuBLAS has its own way
        "STORAGE": plan.storage,
        "RESIDENT": int(plan.resident),
        "STEPWISE": int(plan.stepwise),
        "PARTS": plan.parts,
        "WEIGHT_BYTES": plan.weight_bytes,
        "MEMORY_BYTES": plan.memory,
    }
    name = "forward.cuh" if plan.forward else "backward.cuh"
    own: tuple[str, ...] = (*PRODUCTS, name)
    if plan.stepwise:
        own = ("step_row.cuh", f"step_{name}")
    elif plan.math == "few":
        own = ("few_units.cuh", f"few_{name}")
    return images.source(KERNELS, (*SHARED, *own), defines)


@functools.cache
def kernel(plan: Plan, target: str, device: int) -> ctypes.c_void_p:
    image = images.image(source(plan), target)
    return driver.function(image, "portable_pass", device, plan.memory)


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
    T, B, D, H = hidden.shape
    device = projected.device
    plan = choose(True, H, B, D, how(projected.dtype, device, H, B), gpu(device))
    weights = (recurrent, peepholes, lengths)
    _launch(plan, T, B, D, weights, reverse, (projected, gates, cells, hidden, None))
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
    T, B, D, H = grad_hidden.shape
    device = gates.device
    grad_hidden = grad_hidden.to(gates.dtype).contiguous()
    plan = choose(False, H, B, D, how(gates.dtype, device, H, B), gpu(device))
    room = cells.new_zeros if plan.stepwise else cells.new_empty  # steps add to what is there
    sums = room(plan.groups(B, D) // D, 7 * D * H)
    weights = (recurrent, peepholes, lengths)
    _launch(plan, T, B, D, weights, reverse, (grad_hidden, gates, cells, None, sums))
    return split(sums, D, H)


def _launch(
    plan: Plan,
    T: int,
    B: int,
    D: int,
    weights: tuple[Tensor, Tensor, Tensor],  # W_h, peepholes, lengths
    reverse: tuple[bool, ...],
    tensors: tuple[Tensor | None, ...],  # inputs, gates, cells, hidden, sums
) -> None:
    """Queue one pass. PyTorch reuses a tensor's memory only in the stream's own order."""
    recurrent, peepholes, lengths = weights
    device = recurrent.device
    groups, teams = cut(plan, B, D, gpu(device))
    W_h = arranged(recurrent, plan)
    peepholes = peepholes.float().contiguous()
    lengths = lengths.to(device, torch.int64).contiguous()
    arrived = torch.zeros(groups, 32, dtype=torch.int32, device=device) if plan.meets else None
    own = stepwise.buffers(plan, B, D, W_h) if plan.stepwise else {}
    everything = (lengths, W_h, peepholes, arrived, *tensors, *own.values())
    work = Work(*(None if tensor is None else tensor.data_ptr() for tensor in everything))
    work.T, work.B, work.D, work.groups, work.teams = T, B, D, groups, teams
    work.reversed = sum(1 << d for d in range(D) if reverse[d])
    if plan.stepwise:
        with repeated(plan, teams * plan.blocks, device, work) as queue:
            stepwise.walk(plan, work, W_h, own, queue)
    else:
        run(plan, teams * plan.blocks, device, work)


@functools.cache
def cut(plan: Plan, batch: int, directions: int, gpu: Gpu) -> tuple[int, int]:
    """Groups of sequences, and how many teams of blocks share them."""
    groups = plan.groups(batch, directions)
    return groups, plan.teams(groups, gpu)


def run(plan: Plan, blocks: int, device: torch.device, work: Work) -> None:
    prepared(plan, blocks, images.target(device), driver.index(device))(work)


@functools.cache
def prepared(plan: Plan, blocks: int, target: str, device: int) -> driver.Queue:
    """A function that queues the kernel."""
    loaded = kernel(plan, target, device)
    return driver.prepared(loaded, blocks, THREADS, plan.memory, device, together=plan.meets)


def repeated(
    plan: Plan, blocks: int, device: torch.device, work: Work
) -> AbstractContextManager[Callable[[], None]]:
    """A function that queues the kernel of the step that `work` names."""
    index = driver.index(device)
    loaded = kernel(plan, images.target(device), index)
    return driver.repeated(loaded, blocks, THREADS, plan.memory, index, work)
