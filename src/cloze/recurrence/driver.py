"""CUDA's driver, called directly: load compiled kernels and launch them on PyTorch's stream."""

import ctypes
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

MOST_SHARED_MEMORY = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
SHARED_MEMORY_OF_A_BLOCK = 97  # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION


class Attribute(ctypes.Structure):
    """CUlaunchAttribute, of which we only need the size of a cluster."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16))


class Launch(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        *((name, ctypes.c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "memory")),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    )


@functools.cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


def index(device: torch.device) -> int:
    return torch.cuda.current_device() if device.index is None else device.index


@functools.cache
def _handle(device: int) -> int:
    handle = ctypes.c_int()
    check(library().cuInit(0))
    check(library().cuDeviceGet(ctypes.byref(handle), device))
    return handle.value


@functools.cache
def _context(device: int) -> ctypes.c_void_p:
    """The context that PyTorch uses on this device."""
    context = ctypes.c_void_p()
    check(library().cuDevicePrimaryCtxRetain(ctypes.byref(context), _handle(device)))
    return context


class _Entered:
    """The device is current inside, and afterwards the one that was current before."""

    def __init__(self, device: int) -> None:
        self.device = device

    def __enter__(self) -> None:
        # Autograd walks back in a thread of its own, which may not have met this device yet.
        error = library().cuCtxPushCurrent_v2(_context(self.device))
        if error:
            check(error)

    def __exit__(self, *_: object) -> None:
        error = library().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        if error:
            check(error)


def _stream(device: int) -> int:
    return torch._C._cuda_getCurrentRawStream(device)


def attribute(number: int, device: int) -> int:
    """One of the device's properties, by CUDA's number for it."""
    value = ctypes.c_int()
    check(library().cuDeviceGetAttribute(ctypes.byref(value), number, _handle(device)))
    return value.value


def function(image: bytes, name: str, device: int, memory: int) -> ctypes.c_void_p:
    """A kernel of a compiled module, allowed this much shared memory."""
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    with _Entered(device):
        check(library().cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(image)))
        check(library().cuModuleGetFunction(ctypes.byref(found), module, name.encode()))
        check(library().cuFuncSetAttribute(found, MOST_SHARED_MEMORY, memory))
    return found


Pointer = ctypes.c_void_p * 1
Queue = Callable[[ctypes.Structure], None]


def prepared(
    kernel: ctypes.c_void_p, blocks: int, threads: int, memory: int, device: int, *, together: bool
) -> Queue:
    """A function that queues a kernel with an argument. What `together` says of the blocks: they
    wait for each other, so all run at once, or it is an error."""
    cuda = library()
    launch = cuda.cuLaunchCooperativeKernel if together else cuda.cuLaunchKernel
    fixed = (kernel, *(ctypes.c_uint(n) for n in (blocks, 1, 1, threads, 1, 1, memory)))
    rest = () if together else (None,)

    def queue(argument: ctypes.Structure) -> None:
        arguments = Pointer(ctypes.addressof(argument))
        with _Entered(device):
            check(launch(*fixed, ctypes.c_void_p(_stream(device)), arguments, *rest))

    return queue


def prepared_clusters(
    kernel: ctypes.c_void_p, clusters: int, blocks: int, threads: int, memory: int, device: int
) -> Queue:
    """The same for a kernel whose blocks form clusters."""
    launch, attribute = library().cuLaunchKernelEx, _cluster_of(blocks)
    sizes = (clusters * blocks, 1, 1, threads, 1, 1, memory)

    def queue(argument: ctypes.Structure) -> None:
        config = Launch(*sizes, _stream(device), attribute, 1)
        arguments = Pointer(ctypes.addressof(argument))
        with _Entered(device):
            check(launch(ctypes.byref(config), kernel, arguments, None))

    return queue


@contextmanager
def repeated(
    kernel: ctypes.c_void_p,
    blocks: int,
    threads: int,
    memory: int,
    device: int,
    argument: ctypes.Structure,
) -> Iterator[Callable[[], None]]:
    """A function that queues a kernel with what the argument holds at that moment. It is called
    many times, so everything that does not change is prepared here."""
    arguments, stream = Pointer(ctypes.addressof(argument)), ctypes.c_void_p(_stream(device))
    sizes = tuple(ctypes.c_uint(n) for n in (blocks, 1, 1, threads, 1, 1, memory))
    launch, fixed = library().cuLaunchKernel, (kernel, *sizes, stream, arguments, None)

    def queue() -> None:
        error = launch(*fixed)
        if error:
            check(error)

    with _Entered(device):
        yield queue


def clusters_at_once(
    kernel: ctypes.c_void_p, blocks: int, threads: int, memory: int, device: int
) -> int:
    """How many clusters of this size the device runs at the same time."""
    launch = Launch(blocks, 1, 1, threads, 1, 1, memory, None, _cluster_of(blocks), 1)
    count = ctypes.c_int()
    found, config = ctypes.byref(count), ctypes.byref(launch)
    with _Entered(device):
        check(library().cuOccupancyMaxActiveClusters(found, kernel, config))
    return count.value


def _cluster_of(blocks: int) -> Any:
    return ctypes.pointer(Attribute(CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(blocks, 1, 1)))


def check(error: int) -> None:
    if error:
        message = ctypes.c_char_p()
        library().cuGetErrorString(error, ctypes.byref(message))
        said = (message.value or b"unknown error").decode()
        raise RuntimeError(f"the CUDA recurrence failed: {said} ({error})")
