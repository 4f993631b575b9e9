"""Which implementation of the recurrence a network runs, where the user chose one."""

import torch
from torch import nn

from cloze.errors import UserError
from cloze.recurrence import PeepholeLSTM, why_not


def use_recurrence(name: str, network: nn.Module, device: torch.device, dtype: torch.dtype) -> None:
    """Let every peephole LSTM of the network, which stores `dtype`, run so, or say why not."""
    for layer in network.modules():
        if isinstance(layer, PeepholeLSTM):
            if name not in ("auto", "reference"):
                _check(name, device, layer.hidden_size, dtype)
            layer.implementation = name


def _check(name: str, device: torch.device, hidden: int, dtype: torch.dtype) -> None:
    reason = why_not(name, device, hidden, dtype)
    if reason is not None:
        raise UserError(
            f"run.recurrence is {name}, which cannot run here: {reason}",
            fix="leave it at auto; cloze doctor shows what can run",
        )
