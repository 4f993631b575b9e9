"""The running mean of the weights: its equation, what is validated and left, and resuming."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from cloze.config import check
from cloze.errors import UserError
from cloze.training.averaging import Averaged
from cloze.training.checkpoints import Checkpoints, read
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train
from tests.training.test_workers import tensors

READER = {"kind": "encoder", "layers": 1, "hidden_size": 16, "heads": 2, "positions": 192}


def settings_of(encoded: Path, out: Path, **run: Any) -> TrainSettings:
    usual = {"steps": 6, "validate_every": 2, "checkpoint_every": 1, "device": "cpu", "keep": 10}
    return check(
        TrainSettings,
        {
            "encoded": encoded,
            "out": out,
            "reader": READER,
            "optimiser": {"name": "adam", "learning_rate": 0.01},
            "batches": {"size": 8},
            "run": {**usual, "average": 0.6, **run},
        },
    )


def test_the_mean_is_that_of_the_equation() -> None:
    network = nn.Linear(3, 2, bias=False)
    random = np.random.default_rng(1)
    mean = network.weight.detach().numpy().copy()
    averaged = Averaged(network, 0.5)
    for step in range(12):
        weight = random.normal(size=(2, 3)).astype(np.float32)
        with torch.no_grad():
            network.weight.copy_(torch.from_numpy(weight))
        averaged.follow(step)
        decay = min(0.5, (1 + step) / (10 + step))
        mean = decay * mean + (1 - decay) * weight
        with averaged.now():
            np.testing.assert_allclose(network.weight.detach().numpy(), mean, rtol=1e-5)
        np.testing.assert_array_equal(network.weight.detach().numpy(), weight)


def test_the_model_left_has_the_mean_and_the_steps_never_see_it(
    encoded: Path, tmp_path: Path
) -> None:
    result = train(settings_of(encoded, tmp_path / "run"))
    train(settings_of(encoded, tmp_path / "plain", average=None))
    plain = read(Checkpoints(tmp_path / "plain").saved()[-1])
    last = read(Checkpoints(tmp_path / "run").saved()[-1])
    for name, weight in last.weights.items():
        assert torch.equal(weight, plain.weights[name]), name
    best = read(Checkpoints(tmp_path / "run").saved()[result.best_step - 1])
    left = load_file(result.model / "model.safetensors")
    assert best.average.keys() == best.weights.keys()
    assert all(torch.equal(left[name], mean) for name, mean in best.average.items())
    assert not all(torch.equal(left[name], weight) for name, weight in best.weights.items())


def test_a_run_with_a_mean_goes_on_where_it_stood(encoded: Path, tmp_path: Path) -> None:
    train(settings_of(encoded, tmp_path / "run"))
    through, saved = tensors(tmp_path / "run"), Checkpoints(tmp_path / "run").saved()
    mean = (saved[-1] / "average.safetensors").read_bytes()
    for path in saved[3:]:
        shutil.rmtree(path)
    train(settings_of(encoded, tmp_path / "run"), resume=True)
    assert tensors(tmp_path / "run") == through
    assert (saved[-1] / "average.safetensors").read_bytes() == mean
    shutil.rmtree(saved[-1])
    with pytest.raises(UserError, match=r"run\.average differ"):
        train(settings_of(encoded, tmp_path / "run", average=0.7), resume=True)


def test_workers_have_no_mean(encoded: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"run\.workers and run\.average cannot"):
        train(settings_of(encoded, tmp_path / "run", workers=1))
