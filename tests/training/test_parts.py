"""Training and evaluating read compressed parts as they are, with the same result."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.config import check
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train
from tests.training.corpora import write_corpus


def weights_after(encoded: Path, out: Path) -> dict[str, torch.Tensor]:
    run = {"steps": 3, "validate_every": 3, "device": "cpu"}
    settings = {"encoded": encoded, "out": out, "reader": {"hidden_size": 4}, "run": run}
    train(check(TrainSettings, settings))
    return load_file(out / "model" / "model.safetensors")


def command(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


def test_parts_train_and_evaluate_as_arrays_do(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", documents=30)
    command("encode", tmp_path / "corpus", tmp_path / "arrays")
    made = ("encode", tmp_path / "corpus", tmp_path / "parts", "--part-size")
    assert "train (1 part, 0.0 MB), valid (1 part, 0.0 MB)" in command(*made, "1MB")
    arrays, parts = (
        weights_after(tmp_path / f, tmp_path / f"run-{f}") for f in ("arrays", "parts")
    )
    assert all(torch.equal(arrays[name], parts[name]) for name in arrays)
    model = tmp_path / "run-parts"
    asked = ("evaluate", model, tmp_path / "corpus", "--json")
    plain = json.loads(command(*asked, "--out", tmp_path / "a"))
    read = json.loads(command(*asked, "--out", tmp_path / "b", "--encoded", tmp_path / "parts"))
    assert read[0]["accuracy"] == plain[0]["accuracy"]
    assert "'12' is no size" in " ".join(command(*made, "12", code=2).split())
