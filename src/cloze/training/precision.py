"""In how many bits training multiplies: `run.precision`."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from cloze.readers.device import quick_in_sixteen_bits
from cloze.training.settings import TrainSettings


def settled(
    settings: TrainSettings, device: torch.device, began_with: str | None = None
) -> TrainSettings:
    """Where the precision is `auto`, the one that it means here: bfloat16 for an Encoder Reader if
    the device multiplies it quickly, else 32 bits. The other readers' recurrence has no bfloat16 on
    a CPU. A run that goes on keeps the one that it began with, wherever that was."""
    if settings.run.precision != "auto":
        return settings
    quick = settings.reader.kind == "encoder" and quick_in_sixteen_bits(device)
    chosen = began_with or ("bf16" if quick else "float32")
    run = settings.run.model_copy(update={"precision": chosen})
    return settings.model_copy(update={"run": run})


@contextmanager
def precision(settings: TrainSettings) -> Iterator[None]:
    """How products of float32 matrices are rounded, in the forward and backward passes.

    PyTorch has one switch for the whole process, and one for cuDNN, which multiplies in a GRU; both
    are restored afterwards.
    """
    products, cudnn = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    tf32 = settings.run.precision == "tf32"
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = tf32
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(products)
        torch.backends.cudnn.allow_tf32 = cudnn


SIXTEEN_BITS = {"bf16": torch.bfloat16, "fp16": torch.float16}
SCALE = 1024.0  # of a loss in fp16, whose small gradients would otherwise become zero


def autocast(settings: TrainSettings, device: torch.device) -> torch.autocast:
    """The forward pass multiplies in 16 bits; weights, loss and optimiser stay in 32."""
    dtype = SIXTEEN_BITS.get(settings.run.precision)
    return torch.autocast(device.type, dtype or torch.bfloat16, enabled=dtype is not None)
