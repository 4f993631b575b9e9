"""Training that rounds as few bits are stored: the rounding, the gradient, and what is left."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import Tensor

from cloze import few_bits
from cloze.config import check
from cloze.errors import UserError
from cloze.few_bits import FewBits, bits_of
from cloze.readers.network import loss
from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.registry import build, config_of
from cloze.readers.rounded import in_few_bits, round_all
from cloze.training.checkpoints import Checkpoints
from cloze.training.in_few_bits import InFewBits
from cloze.training.journal import read_metrics
from cloze.training.settings import TrainSettings
from cloze.training.steps import Stepper, make_optimiser
from cloze.training.trainer import train
from tests.readers.cases import SIZE, Example, batch_of
from tests.readers.test_few_bits import MATRICES
from tests.training.test_workers import tensors

CPU = torch.device("cpu")
EXAMPLES = [Example([4, 9, 5, 10, 4], [2, 10], 4), Example([6, 9, 7], [9, 2, 11], 7)]
LARGE = {"kind": "encoder", "layers": 1, "hidden_size": 64, "heads": 2, "positions": 192}


BITS: list[FewBits] = [3, 4]


def stored(weight: np.ndarray, bits: FewBits) -> np.ndarray:
    return few_bits.unpacked(few_bits.packed({"w": weight}, bits))["w"].astype(np.float32)


@settings(deadline=None)
@given(matrix=MATRICES, bits=st.sampled_from(BITS))
def test_the_rounding_is_that_of_the_file_bit_for_bit(matrix: np.ndarray, bits: FewBits) -> None:
    tall = np.tile(matrix, (-(-few_bits.FEWEST // matrix.size), 1))
    found = in_few_bits(torch.from_numpy(tall), bits)
    assert found.numpy().tobytes() == stored(tall, bits).tobytes()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("shape", [(99, 100), (20_000,), (200, 101), (2, 50, 100), (60, 768)])
def test_weights_of_every_shape(shape: tuple[int, ...], device: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    weight = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 0.04
    for bits in BITS:
        found = in_few_bits(weight.to(device), bits).cpu()
        assert found.numpy().tobytes() == stored(weight.numpy(), bits).tobytes()
        assert found.dtype == torch.float32


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("together", [1, 40_000, 1 << 24])
def test_all_at_once_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, together: int, device: str
) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    monkeypatch.setattr("cloze.readers.rounded.TOGETHER", together)
    random = torch.Generator().manual_seed(2)
    shapes = [
        (100, 128),
        (3, 40, 256),
        (99, 100),
        (99, 102),
        (),
        (7,),
        (20_000,),
        (200, 101),
        (90, 384),
    ]
    before = [torch.randn(shape, generator=random) * 0.04 for shape in shapes]
    before.append(torch.randn(256, 128, generator=random).t())  # not contiguous
    before.append(torch.zeros(100, 128))
    before.append(torch.randn(100, 256, generator=random))
    names = [f"{number}.weight" for number in range(len(before) - 1)] + ["embedding.weight"]
    weights = {n: w.clone().to(device) for n, w in zip(names, before, strict=True)}
    round_all(weights, 3)
    for (name, found), weight in zip(weights.items(), before, strict=True):
        expected = in_few_bits(weight, 4 if name == "embedding.weight" else 3)
        assert found.cpu().contiguous().numpy().tobytes() == expected.contiguous().numpy().tobytes()


def test_the_gradient_is_that_of_the_rounded_weights() -> None:
    """Against w + (rounded(w) - w).detach() put in the place of every weight."""
    config = config_of({**LARGE, "dropout": 0.0})
    network = build(config, SIZE, seed=3)
    batch = batch_of(EXAMPLES)
    weights = dict(network.named_parameters())
    through = {
        n: w + (in_few_bits(w, 3 if "layers" in n or n == "W.weight" else 4) - w).detach()
        for n, w in weights.items()
    }
    logits, _ = torch.func.functional_call(network, through, (batch,))
    loss(logits, batch, config).backward()
    expected = {n: w.grad.clone() for n, w in weights.items() if w.grad is not None}
    network.zero_grad()
    before = {n: w.detach().clone() for n, w in weights.items()}
    optimiser = check(TrainSettings, {})
    stepper = Stepper(
        network,
        config,
        make_optimiser(optimiser.optimiser, network),
        optimiser,
        CPU,
        few_bits=InFewBits(network, config, 10, 3, begin=5),
    )
    for step, same in ((5, True), (4, False)):
        network.zero_grad()
        stepper.gradient(step, batch)
        assert all(torch.equal(w, before[n]) for n, w in weights.items())
        close = [torch.allclose(weights[n].grad, g, atol=1e-7) for n, g in expected.items()]
        assert all(close) == same


def settings_of(encoded: Path, out: Path, **more: Any) -> TrainSettings:
    run = {"steps": 6, "validate_every": 2, "checkpoint_every": 1, "log_every": 1, "device": "cpu"}
    return check(
        TrainSettings,
        {
            "encoded": encoded,
            "out": out,
            "reader": LARGE,
            "optimiser": {"name": "adam", "learning_rate": 0.003},
            "batches": {"size": 8, **more.pop("batches", {})},
            "run": {**run, "bits": 4, "bits_after": 0.5, **more},
        },
    )


def weights_of(model: Path) -> dict[str, Tensor]:
    return load_file(model / "model.safetensors")


@pytest.mark.parametrize("bits", BITS)
def test_what_was_validated_is_what_is_stored(encoded: Path, tmp_path: Path, bits: FewBits) -> None:
    """The model that is left, and the same in few bits, answer exactly alike; and as often right as
    the validation said."""
    result = train(settings_of(encoded, tmp_path / "run", validate_every=1, bits=bits))
    left = Reader.from_pretrained(result.model)
    prune(left).save_pretrained(tmp_path / "small", bits=bits)
    small = Reader.from_pretrained(tmp_path / "small")
    for (name, a), (_, b) in zip(
        left.network.named_parameters(), small.network.named_parameters(), strict=True
    ):
        assert torch.equal(a, b), name
    assert weights_of(tmp_path / "small")["body.layers.0.up.weight"].dtype == torch.uint8
    plain = settings_of(encoded, tmp_path / "again", steps=1, bits=None, bits_after=0.0)
    plain = plain.model_copy(update={"start_from": tmp_path / "small"})
    tiny = plain.optimiser.model_copy(update={"learning_rate": 1e-30})
    again = train(plain.model_copy(update={"optimiser": tiny}))
    assert again.best_accuracy == result.best_accuracy
    lines = [x for x in read_metrics(result.model.parent / "metrics.jsonl") if "valid_loss" in x]
    said = next(x for x in lines if x["step"] == result.best_step)
    found = read_metrics(again.model.parent / "metrics.jsonl")[-1]
    assert found["valid_loss"] == pytest.approx(said["valid_loss"], rel=1e-6)


IN_PARTS = {"batches": {"accumulate": 2}}
IN_SIXTEEN_BITS = {"precision": "bf16", "kept_layers": 0, "recompute": True}


@pytest.mark.parametrize("how", [IN_PARTS, IN_SIXTEEN_BITS])
def test_a_run_in_few_bits_goes_on_where_it_stood(
    encoded: Path, tmp_path: Path, how: dict[str, Any]
) -> None:
    """Stopped before rounding begins and after."""
    values = {"keep": 10, **how}
    train(settings_of(encoded, tmp_path / "run", **values))
    saved = Checkpoints(tmp_path / "run").saved()
    through = tensors(tmp_path / "run")
    for stop in (5, 2):
        for path in saved[stop:]:
            shutil.rmtree(path)
        train(settings_of(encoded, tmp_path / "run", **values), resume=True)
        assert tensors(tmp_path / "run") == through
    shutil.rmtree(saved[-1])
    with pytest.raises(UserError, match=r"run\.steps differ"):
        train(settings_of(encoded, tmp_path / "run", steps=7, **values), resume=True)


def test_few_bits_begin_after_their_share_of_the_run(encoded: Path, tmp_path: Path) -> None:
    """Until then all is as in 32 bits; from then on it is not."""
    never = settings_of(encoded, tmp_path / "never", bits=None, bits_after=0.0)
    train(never)
    train(settings_of(encoded, tmp_path / "half"))
    losses = [
        [line["loss"] for line in read_metrics(tmp_path / n / "metrics.jsonl") if "loss" in line]
        for n in ("never", "half")
    ]
    assert losses[0][:3] == losses[1][:3]
    assert all(a != b for a, b in zip(losses[0][3:], losses[1][3:], strict=True))


def test_mistakes_are_one_line(encoded: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"bits_after.*give run\.steps or run\.epochs"):
        train(settings_of(encoded, tmp_path / "a", steps=None, minutes=1))
    with pytest.raises(UserError, match=r"run\.workers and run\.bits cannot"):
        train(settings_of(encoded, tmp_path / "b", workers=1))


def test_what_is_kept_is_rounded_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once; and it comes back as it was, whatever has happened to the other weights."""
    config = config_of(LARGE)
    network = build(config, SIZE, seed=1)
    network.keep(1)
    own = dict(network.named_parameters())
    kept = "body.layers.0.up.weight"
    assert not own[kept].requires_grad
    before = {name: weight.detach().clone() for name, weight in own.items()}
    times: Counter[str] = Counter()

    def counted(weights: dict[str, Tensor], bits: FewBits) -> None:
        times.update(weights.keys())
        round_all(weights, bits)

    monkeypatch.setattr("cloze.training.in_few_bits.round_all", counted)
    rounding = InFewBits(network, config, 0, 3)
    for _ in range(3):
        with rounding.now():
            for name, weight in own.items():
                assert torch.equal(weight, in_few_bits(before[name], bits_of(name, 3))), name
        for name, weight in own.items():
            assert torch.equal(weight, before[name])
        with torch.no_grad():
            own["W.weight"].add_(0.1)
        before["W.weight"] = own["W.weight"].detach().clone()
    assert (times[kept], times["W.weight"]) == (1, 3)
    with torch.no_grad():
        assert not torch.equal(own[kept], in_few_bits(own[kept], 3))
