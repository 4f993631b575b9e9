"""What saves memory changes nothing else: batches in parts, layers computed again, 16 bits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from cloze.config import check
from cloze.errors import UserError
from cloze.readers.layers import noise
from cloze.readers.network import Network
from cloze.readers.registry import build, config_of
from cloze.training.settings import TrainSettings
from cloze.training.steps import Stepper, make_optimiser
from cloze.training.trainer import train
from tests.readers.cases import SIZE, Example, batch_of
from tests.readers.test_packed import LENGTHS, absent_of, transformer

from .test_batches import training

CPU = torch.device("cpu")
EXAMPLES = [Example([4, 9, 5, 10, 4], [2, 10], 4), Example([6, 9, 7], [9, 2, 11], 7)]


@pytest.mark.parametrize("parts", [2, 3, 12])
@pytest.mark.parametrize("ranks", [1, 2])
def test_parts_share_the_batch(encoded: Path, parts: int, ranks: int) -> None:
    whole = training(encoded)
    own = [training(encoded, rank=r, ranks=ranks, parts=parts) for r in range(ranks)]
    for step in range(whole.order.locate(0).batches):
        each = [(o, k) for o in own for k in range(parts) if o.share(step, k) > 0]
        read = np.concatenate([o.questions(step, k) for o, k in each])
        assert sorted(read) == sorted(whole.questions(step))
        # The sum over parts of (share × the part's mean), averaged over ranks, is the mean of all.
        values = np.random.default_rng(step).random(len(whole.split))
        means = [o.share(step, k) * values[o.questions(step, k)].mean() for o, k in each]
        assert sum(means) / ranks == pytest.approx(values[whole.questions(step)].mean())


def settings_of(encoded: Path, out: Path, **more: Any) -> TrainSettings:
    run = {"steps": 3, "validate_every": 3, "device": "cpu", **more.pop("run", {})}
    reader = {"kind": "encoder", "hidden_size": 16, "heads": 2, "dropout": 0.0, "positions": 64}
    optimiser = {"name": "adam", "learning_rate": 0.01}
    values = {"encoded": encoded, "out": out, "reader": reader | more.pop("reader", {})}
    return check(TrainSettings, {**values, "run": run, "optimiser": optimiser, **more})


def weights_after(settings: TrainSettings) -> dict[str, Tensor]:
    train(settings)
    return load_file(settings.out / "model" / "model.safetensors")


def test_a_batch_in_parts_trains_as_the_whole_does(encoded: Path, tmp_path: Path) -> None:
    whole = weights_after(settings_of(encoded, tmp_path / "whole", batches={"size": 8}))
    parts = {"size": 8, "accumulate": 3}
    added = weights_after(settings_of(encoded, tmp_path / "parts", batches=parts))
    for name, weight in whole.items():
        found = added[name]
        if name.endswith("qkv.bias"):  # the softmax does not see a key's bias: its gradient is
            keys = slice(len(weight) // 3, 2 * len(weight) // 3)  # rounding, which Adam scales up
            weight[keys] = found[keys] = 0
        torch.testing.assert_close(found, weight, rtol=1e-4, atol=2e-5)


def test_a_run_in_parts_goes_on_where_it_stood(encoded: Path, tmp_path: Path) -> None:
    values: dict[str, Any] = {"batches": {"size": 8, "accumulate": 3}, "reader": {"dropout": 0.3}}
    through = weights_after(settings_of(encoded, tmp_path / "through", run={"steps": 4}, **values))
    train(settings_of(encoded, tmp_path / "twice", run={"steps": 2}, **values))
    train(settings_of(encoded, tmp_path / "twice", run={"steps": 4}, **values), resume=True)
    twice = load_file(tmp_path / "twice" / "model" / "model.safetensors")
    assert all(torch.equal(twice[name], through[name]) for name in through)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_layers_computed_again_have_the_same_gradients(device: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    body = transformer(32, 20, 32, 0.1).to(device)
    absent = absent_of(LENGTHS, 210).to(device)
    x = torch.randn(len(LENGTHS), 210, 32).to(device)

    def gradients() -> list[Tensor]:
        body.zero_grad()
        body(x, absent, noise(5, 1, device=x.device))[~absent].square().sum().backward()
        return [p.grad.clone() for p in body.parameters() if p.grad is not None]

    kept = gradients()
    body.recompute()
    calls: list[int] = []
    body.layers[0].up.register_forward_hook(lambda *_: calls.append(1))
    again = gradients()
    if device == "cpu":
        assert len(calls) == 2  # forward, and again for the backward pass
        assert all(torch.equal(a, b) for a, b in zip(kept, again, strict=True))
    for mine, plain in zip(again, kept, strict=True):
        torch.testing.assert_close(mine, plain, rtol=1e-3, atol=1e-3 * plain.abs().max().item())


def test_only_an_encoder_computes_layers_again(encoded: Path, tmp_path: Path) -> None:
    settings = settings_of(encoded, tmp_path / "run", run={"recompute": True})
    train(settings)
    plain = {"run": {"recompute": True, "device": "cpu"}, "reader": {"hidden_size": 4}}
    wrong = check(TrainSettings, {"encoded": encoded, "out": tmp_path / "wrong", **plain})
    with pytest.raises(UserError, match="only an Encoder Reader can compute its layers again"):
        train(wrong)


def test_workers_take_whole_batches(encoded: Path, tmp_path: Path) -> None:
    parts, run = {"accumulate": 2}, {"workers": 2}
    with pytest.raises(UserError, match=r"run\.workers and batches\.accumulate cannot"):
        train(settings_of(encoded, tmp_path / "run", batches=parts, run=run))


def gradient(network: Network, precision: str) -> tuple[float, list[Tensor]]:
    """Of one step, as the optimiser gets it."""
    run = {"precision": precision}
    optimiser = {"name": "adam", "clip": None, "learning_rate": 0.1}
    settings = check(TrainSettings, {"run": run, "optimiser": optimiser})
    made = make_optimiser(settings.optimiser, network)
    stepper = Stepper(network, network.config, made, settings, CPU)
    value = float(stepper.gradient(0, batch_of(EXAMPLES)))
    stepper.update(0.0)
    return value, [mean.clone() for mean in made.state().values()]


def test_sixteen_bits_without_bfloat16() -> None:
    """A T4 has no bfloat16. In float16, gradients are scaled up on their way, and down again."""
    config = config_of({"kind": "encoder", "hidden_size": 16, "heads": 2, "dropout": 0.0})
    network = build(config, SIZE, seed=3)
    exact, expected = gradient(network, "float32")
    rounded, found = gradient(network, "fp16")
    assert rounded == pytest.approx(exact, rel=1e-3)
    assert rounded != exact
    for mine, plain in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, plain, rtol=2e-2, atol=2e-2 * plain.abs().max().item())


def test_a_full_device_is_told_in_one_line(
    encoded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As PyTorch says it; and a run that had saved something goes on from there."""
    values: dict[str, Any] = {
        "run": {"steps": 4, "checkpoint_every": 2},
        "reader": {"dropout": 0.3},
    }
    through = weights_after(settings_of(encoded, tmp_path / "through", **values))
    taken = Stepper.gradient

    def full(self: Stepper, step: int, *rest: Any) -> Tensor:
        if step == 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 768.00 MiB. GPU 0")
        return taken(self, step, *rest)

    monkeypatch.setattr(Stepper, "gradient", full)
    said = (
        r"memory of the device is full \(CUDA out of memory\); .*from step-00000002 with --resume"
    )
    with pytest.raises(UserError, match=said):
        train(settings_of(encoded, tmp_path / "run", **values))
    monkeypatch.undo()
    train(settings_of(encoded, tmp_path / "run", **values), resume=True)
    resumed = load_file(tmp_path / "run" / "model" / "model.safetensors")
    assert all(torch.equal(resumed[name], through[name]) for name in through)
