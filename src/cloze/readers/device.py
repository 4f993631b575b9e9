"""Where a reader computes."""

import numpy as np
import torch
from torch import Tensor

from cloze.errors import UserError
from cloze.readers.eight_bits import fast_in_sixteen_bits


def choose_device(name: str) -> torch.device:
    """The device of a name; auto is the GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    fix = "give auto, cpu, cuda or cuda:1"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UserError(f"there is no device '{name}'", fix=fix) from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UserError(f"the device is {name}, but there is no GPU here", fix="give cpu")
    if device.type not in ("cpu", "cuda") or (device.index or 0) >= (
        torch.cuda.device_count() if device.type == "cuda" else 1
    ):
        raise UserError(f"there is no device '{name}' here", fix=fix)
    return device


def quick_in_sixteen_bits(device: torch.device) -> bool:
    """Whether it multiplies bfloat16 much faster than 32 bits."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    return device.type == "cpu" and fast_in_sixteen_bits()


def moved(values: np.ndarray | Tensor, device: torch.device) -> Tensor:
    """Values of the host on a device, without waiting until a GPU has done what it was given."""
    tensor = values if isinstance(values, Tensor) else torch.from_numpy(values)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def memory_is_full(problem: torch.OutOfMemoryError, *, fix: str, where: object = None) -> UserError:
    told = str(problem).partition(".")[0]
    return UserError(f"the memory of the device is full ({told})", where=where, fix=fix)
