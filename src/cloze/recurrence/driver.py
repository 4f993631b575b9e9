"""CUDA's driver, called directly: load compiled kernels and launch them on PyTorch's stream."""

import ctypes
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def _entered(device: int) -> Iterator[None]:
    """The device is current inside, and afterwards the one that was current before."""
    # Autograd walks back in a thread of its own, which may not have met this device yet.
    check(library().cuCtxPushCurrent_v2(_context(device)))
    try:
        yield
    finally:
        check(library().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())))


def _stream(device: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream)


def attribute(number: int, device: int) -> int:
    """One of the device's properties, by CUDA's number for it."""
    value = ctypes.c_int()
    check(library().cuDeviceGetAttribute(ctypes.byref(value), number, _handle(device)))
    return value.value


def function(image: bytes, name: str, device: int, memory: int) -> ctypes.c_void_p:
    """A kernel of a compiled module, allowed this much shared memory."""
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    with _entered(device):
        check(library().cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(image)))
        check(library().cuModuleGetFunction(ctypes.byref(found), module, name.encode()))
        check(library().cuFuncSetAttribute(found, MOST_SHARED_MEMORY, memory))
    return found


def launch_together(
    kernel: ctypes.c_void_p,
    blocks: int,
    threads: int,
    memory: int,
    device: int,
    argument: ctypes.Structure,
) -> None:
    """Queue a kernel whose blocks wait for each other: all run at once, or it is an error."""
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    with _entered(device):
        check(
            library().cuLaunchCooperativeKernel(
                kernel, blocks, 1, 1, threads, 1, 1, memory, _stream(device), arguments
            )
        )


def launch(
    kernel: ctypes.c_void_p,
    blocks: int,
    threads: int,
    memory: int,
    device: int,
    argument: ctypes.Structure,
) -> None:
    """Queue a kernel whose blocks have nothing to do with each other."""
    with repeated(kernel, blocks, threads, memory, device, argument) as queue:
        queue()


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
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    sizes = tuple(ctypes.c_uint(n) for n in (blocks, 1, 1, threads, 1, 1, memory))
    launch, fixed = library().cuLaunchKernel, (kernel, *sizes, _stream(device), arguments, None)

    def queue() -> None:
        error = launch(*fixed)
        if error:
            check(error)

    with _entered(device):
        yield queue


def launch_clusters(
    kernel: ctypes.c_void_p,
    clusters: int,
    blocks: int,
    threads: int,
    memory: int,
    device: int,
    argument: ctypes.Structure,
) -> None:
    """Queue a kernel whose blocks form clusters."""
    launch = ctypes.byref(_clusters(clusters, blocks, threads, memory, _stream(device)))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    with _entered(device):
        check(library().cuLaunchKernelEx(launch, kernel, arguments, None))


def clusters_at_once(
    kernel: ctypes.c_void_p, blocks: int, threads: int, memory: int, device: int
) -> int:
    """How many clusters of this size the device runs at the same time."""
    launch, count = _clusters(1, blocks, threads, memory, None), ctypes.c_int()
    found, config = ctypes.byref(count), ctypes.byref(launch)
    with _entered(device):
        check(library().cuOccupancyMaxActiveClusters(found, kernel, config))
    return count.value


def _clusters(
    clusters: int, blocks: int, threads: int, memory: int, stream: ctypes.c_void_p | None
) -> Launch:
    size = (ctypes.c_uint * 16)(blocks, 1, 1)
    attribute = ctypes.pointer(Attribute(CLUSTER_DIMENSION, 0, size))
    return Launch(clusters * blocks, 1, 1, threads, 1, 1, memory, stream, attribute, 1)


def check(error: int) -> None:
    if error:
        message = ctypes.c_char_p()
        library().cuGetErrorString(error, ctypes.byref(message))
        said = (message.value or b"unknown error").decode()
        raise RuntimeError(f"the CUDA recurrence failed: {said} ({error})")
