"""Tensors in safetensors files, with errors in our words. No pickle."""

import errno
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from cloze.errors import UserError


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    # safetensors refuses views and shared storage; a copy on the CPU is neither.
    plain = {name: t.detach().to("cpu", copy=True).contiguous() for name, t in tensors.items()}
    try:
        save_file(plain, path)
    except SafetensorError as problem:
        if "os error 28" in str(problem):  # safetensors hides the error number of a full disk
            raise OSError(errno.ENOSPC, "no space left", str(path)) from None
        raise


def load_tensors(path: Path) -> dict[str, Tensor]:
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError) as problem:
        raise UserError(f"is not a safetensors file ({problem})", where=path) from None
    return tensors
