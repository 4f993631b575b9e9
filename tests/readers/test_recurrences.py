"""run.recurrence: what runs a network's peephole LSTMs, and what is said where it cannot."""

import pytest
import torch
from torch import nn

from cloze.errors import UserError
from cloze.readers.recurrences import use_recurrence
from cloze.recurrence import IMPLEMENTATIONS, PeepholeLSTM
from cloze.training.settings import RunSettings

CPU = torch.device("cpu")


def network() -> nn.Module:
    return nn.Sequential(PeepholeLSTM(3, 4), nn.Linear(2, 2), nn.ModuleList([PeepholeLSTM(3, 5)]))


def test_every_layer_is_told() -> None:
    for name in ("reference", "cpu", "auto"):
        chosen = network()
        use_recurrence(name, chosen, CPU, torch.float32)
        layers = [m for m in chosen.modules() if isinstance(m, PeepholeLSTM)]
        assert [layer.implementation for layer in layers] == [name, name]


@pytest.mark.parametrize(
    ("name", "dtype", "reason"),
    [
        ("portable", torch.float32, "it does not run on cpu"),
        ("cpu", torch.bfloat16, "torch.bfloat16 is neither float32 nor float64"),
    ],
)
def test_what_cannot_run_is_refused_before_the_first_step(
    name: str, dtype: torch.dtype, reason: str
) -> None:
    with pytest.raises(UserError, match=f"run.recurrence is {name}, which cannot .*{reason}"):
        use_recurrence(name, network(), CPU, dtype)


def test_the_names_in_a_config_are_the_implementations() -> None:
    for name in IMPLEMENTATIONS:
        assert RunSettings(recurrence=name).recurrence == name
