"""Compile the CUDA kernels on first use and keep the result.

There is one library for each hidden size and storage type, named by a hash of the sources and the
compiler; `kept.py` says where it is kept. It does not link to PyTorch, so compiling takes only
a few seconds.
"""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cloze.recurrence import kept

SOURCES = (
    "peephole.cu",
    "device.cuh",
    "cluster.cuh",
    "products.cuh",
    "products_tf32.cuh",
    "forward.cuh",
    "backward.cuh",
)
FLAGS = ("-O3", "-std=c++17", "-gencode=arch=compute_90,code=sm_90", "-shared", "-Xcompiler=-fPIC")


class CannotBuild(Exception):
    """Why the kernels are not available here, in one line."""


@functools.cache
def library(hidden: int, storage: str) -> ctypes.CDLL:
    """The kernels for one hidden size; storage is `float` or `__nv_bfloat16`."""
    nvcc = _nvcc()
    here = Path(__file__).parent
    name = hashlib.sha256(_version(nvcc) + " ".join(FLAGS).encode())
    for source in SOURCES:
        name.update((here / source).read_bytes())
    kept_as = f"peephole-{hidden}-{storage.strip('_')}-{name.hexdigest()[:16]}"
    with tempfile.TemporaryDirectory() as folder:  # of this user alone
        built = Path(folder) / f"{kept_as}.so"
        content = kept.load(kept_as)
        if content is None:
            _compile(nvcc, here / SOURCES[0], built, hidden, storage)
            kept.store(kept_as, built.read_bytes())
        else:
            built.write_bytes(content)
        try:
            return declare(ctypes.CDLL(str(built)))
        except OSError as error:
            raise CannotBuild(f"cannot load the compiled kernels: {error}") from error


def declare(loaded: ctypes.CDLL) -> ctypes.CDLL:
    """Tell ctypes the C interface of peephole.cu."""
    integer, pointer = ctypes.c_int, ctypes.c_void_p
    loaded.peephole_error.argtypes = [integer]
    loaded.peephole_error.restype = ctypes.c_char_p
    loaded.peephole_resident_clusters.argtypes = [integer, ctypes.POINTER(integer)]
    for name in ("peephole_forward", "peephole_backward"):
        # device, stream, T, B, D, tile, tf32, reversed, then seven tensors
        function = getattr(loaded, name)
        function.argtypes = [integer, pointer, *[integer] * 5, ctypes.c_uint, *[pointer] * 7]
        function.restype = integer
    return loaded


def _compile(nvcc: str, source: Path, built: Path, hidden: int, storage: str) -> None:
    defines = (f"-DHIDDEN={hidden}", f"-DSTORAGE={storage}")
    done = subprocess.run(
        [nvcc, *FLAGS, *defines, "-o", str(built), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CannotBuild(f"nvcc failed: {done.stderr.strip()[-500:]}")


def _nvcc() -> str:
    if sys.platform != "linux":
        raise CannotBuild("the CUDA kernels can only be built on Linux")
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    candidates = [str(Path(home) / "bin" / "nvcc") for home in homes if home]
    found = next((c for c in candidates if os.access(c, os.X_OK)), None) or shutil.which("nvcc")
    if found is None:
        raise CannotBuild("nvcc, the CUDA compiler, is neither in CUDA_HOME nor on the PATH")
    return found


def _version(nvcc: str) -> bytes:
    done = subprocess.run([nvcc, "--version"], capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotBuild(f"{nvcc} --version failed")
    return done.stdout
