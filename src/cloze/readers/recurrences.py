"""Which implementation of the recurrence a network runs, where the user chose one."""

import torch
from torch import nn

from cloze.errors import UserError
from cloze.recurrence import PeepholeLSTM, choices


def use_recurrence(name: str, network: nn.Module, device: torch.device) -> None:
    """Let every peephole LSTM of the network run so, or say why it cannot."""
    layers = [layer for layer in network.modules() if isinstance(layer, PeepholeLSTM)]
    for layer in layers:
        if name not in ("auto", "reference"):
            _check(name, device, layer.hidden_size)
        layer.implementation = name


def _check(name: str, device: torch.device, hidden: int) -> None:
    reasons = dict(choices(device, hidden, torch.float32))
    reason = reasons.get(name, f"it does not run on {device.type}")
    if reason is not None:
        raise UserError(
            f"run.recurrence is {name}, which cannot run here: {reason}",
            fix="leave it at auto; cloze doctor shows what can run",
        )
