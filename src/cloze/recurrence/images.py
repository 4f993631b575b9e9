"""Machine code for the kernels: compiled when it is first needed, then kept."""

import functools
import hashlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import torch

from cloze.recurrence import kept, nvrtc


def source(folder: Path, files: tuple[str, ...], defines: Mapping[str, object]) -> str:
    """CUDA C++: the definitions, then the files one after the other."""
    lines = [f"#define {name} {value}" for name, value in defines.items()]
    return "\n".join([*lines, *((folder / name).read_text(encoding="utf-8") for name in files)])


def image(code: str, target: str) -> bytes:
    """Machine code for a target such as sm_90, or PTX for one such as compute_80."""
    name = "kernel-" + hashlib.sha256(f"{nvrtc.version()} {target} {code}".encode()).hexdigest()
    found = kept.load(name)
    if found is None:
        begun = time.perf_counter()
        found = nvrtc.compiled(code, target)
        _say_once(f"compiled a kernel for this GPU in {time.perf_counter() - begun:.1f} s")
        kept.store(name, found)
    return found


_said: set[str] = set()


def _say_once(line: str) -> None:
    if not _said:
        _said.add(line)
        print(line, file=sys.stderr)


@functools.cache
def target(device: torch.device) -> str:
    """What to compile for: this GPU, or if NVRTC does not know it yet, PTX for the driver."""
    major, minor = torch.cuda.get_device_capability(device)
    known, own = nvrtc.architectures(), 10 * major + minor
    if own in known:
        return f"sm_{own}"
    older = [number for number in known if number <= own]
    if not older:
        raise nvrtc.CannotCompile(f"this NVRTC cannot compile for compute capability {own / 10}")
    return f"compute_{max(older)}"
