"""One training step restores every switch that it changes."""

import pytest
import torch

from cloze.config import check
from cloze.readers.registry import build
from cloze.training.precision import precision
from cloze.training.settings import TrainSettings
from cloze.training.steps import Stepper, make_optimiser
from tests.readers.cases import SIZE, Example, batch_of, reader_config

EXPECTED = {"float32": "highest", "tf32": "high", "bf16": "highest", "fp16": "highest"}


@pytest.mark.filterwarnings("ignore:slower recurrence")  # the fast CPU path has no bfloat16
@pytest.mark.parametrize("name", EXPECTED)
def test_the_precision_holds_forward_and_back_and_no_longer(name: str) -> None:
    settings = check(TrainSettings, {"run": {"precision": name}})
    config = reader_config("uniform", hidden_size=4)
    network = build(config, SIZE, seed=0)
    stepper = Stepper(
        network,
        config,
        make_optimiser(settings.optimiser, network),
        settings,
        torch.device("cpu"),
    )
    seen: list[str] = []
    for parameter in network.W_rg.parameters():
        parameter.register_hook(lambda _: seen.append(torch.get_float32_matmul_precision()))
    network.W_rg.register_forward_hook(lambda *_: seen.append(torch.get_float32_matmul_precision()))
    torch.set_float32_matmul_precision("medium")
    try:
        stepper.gradient(0, batch_of([Example([4, 5], [2], 4)]))
        assert seen == [EXPECTED[name]] * 2
        with pytest.raises(RuntimeError), precision(settings):
            raise RuntimeError
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
