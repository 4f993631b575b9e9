"""Tensors in safetensors files, with errors in our words. No pickle."""

import errno
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from cloze.errors import UserError


def save_tensors(
    path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, str] | None = None
) -> None:
    # safetensors refuses views and shared storage; a copy on the CPU is neither.
    plain = {name: t.detach().to("cpu", copy=True).contiguous() for name, t in tensors.items()}
    try:
        told = {"format": "pt", **(about or {})}  # the format is what others look for
        save_file(plain, path, metadata=told)
    except SafetensorError as problem:
        if "os error 28" in str(problem):  # safetensors hides the error number of a full disk
            raise OSError(errno.ENOSPC, "no space left", str(path)) from None
        raise


def check_fit(own: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Stop where the tensors of a file are not those that are to be filled with them."""
    if own.keys() != found.keys():
        odd = ", ".join(sorted(own.keys() ^ found.keys())[:5])
        raise UserError(f"the weights do not fit the config: {odd}", where=path)
    for name, tensor in own.items():
        if tensor.shape != found[name].shape:
            raise UserError(
                f"'{name}' has shape {tuple(found[name].shape)}, "
                f"but the config says {tuple(tensor.shape)}",
                where=path,
            )


def load_tensors(path: Path) -> dict[str, Tensor]:
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError) as problem:
        raise UserError(f"is not a safetensors file ({problem})", where=path) from None
    return tensors
