"""CUDA's run-time compiler, a library that comes with PyTorch's wheels: no nvcc, no headers."""

import ctypes
import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import torch


class CannotCompile(Exception):
    """Why there is no kernel, in one line."""


@functools.cache
def library() -> ctypes.CDLL:
    """NVRTC, from the wheels beside PyTorch or from an installed CUDA."""
    for candidate in _candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise CannotCompile("NVRTC, CUDA's run-time compiler, is not installed (PyTorch's wheels for "
                        "CUDA bring it)")  # fmt: skip


def _candidates() -> Iterator[str]:
    pattern = "nvrtc64_*.dll" if sys.platform == "win32" else "libnvrtc.so.[0-9]*"
    beside = Path(torch.__file__).parents[1]
    wheels = [beside, *(Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib"))]
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [*(folder / "nvidia" for folder in wheels), beside / "torch" / "lib"]
    folders += [Path(sys.prefix, "lib"), *(Path(home, "lib64") for home in homes if home)]
    for folder in dict.fromkeys(folders):
        found = folder.rglob(pattern) if folder.name == "nvidia" else folder.glob(pattern)
        yield from map(str, sorted(found, key=_fitting, reverse=True))
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


def _fitting(path: Path) -> tuple[bool, bool, str]:
    """PyTorch's own version of CUDA comes first: newer code may be too new for the driver."""
    major = (torch.version.cuda or "").split(".")[0]
    return ".alt" not in path.name, major in path.name, path.name


def version() -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


def architectures() -> list[int]:
    """The compute capabilities that this version can compile for: 75, 80, ..."""
    count = ctypes.c_int()
    _check(library().nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _check(library().nvrtcGetSupportedArchs(found))
    return list(found)


def compiled(source: str, target: str) -> bytes:
    """Machine code for a target such as `sm_90`, PTX for one such as `compute_80`."""
    program = ctypes.c_void_p()
    nvrtc = library()
    _check(
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"recurrence.cu", 0, None, None
        )
    )
    try:
        options = [f"--gpu-architecture={target}", "--std=c++17", "-default-device"]
        array = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        if nvrtc.nvrtcCompileProgram(program, len(options), array):
            raise CannotCompile(f"NVRTC failed: {_text(program, 'ProgramLog').strip()[:500]}")
        return _bytes(program, "CUBIN" if target.startswith("sm_") else "PTX")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _bytes(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(getattr(library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(library(), f"nvrtcGet{what}")(program, buffer))
    return buffer.raw


def _text(program: ctypes.c_void_p, what: str) -> str:
    return _bytes(program, what).rstrip(b"\0").decode(errors="replace")


def _check(error: int) -> None:
    if error:
        describe = library().nvrtcGetErrorString
        describe.restype = ctypes.c_char_p
        raise CannotCompile(f"NVRTC failed: {describe(error).decode()}")
