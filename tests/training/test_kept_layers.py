"""Layers that stay as they are while the others learn."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from cloze.config import check
from cloze.errors import UserError
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

from .test_little_memory import settings_of


def learnt(encoded: Path, out: Path, kept: int | None) -> set[str]:
    """The names of the weights that two steps change."""
    plain = settings_of(encoded, out / "first", run={"steps": 1}, reader={"layers": 3})
    train(plain)
    first = out / "first" / "model"
    more = {"start_from": first, "reader": {"layers": 3}}
    train(settings_of(encoded, out / "then", run={"steps": 2, "kept_layers": kept}, **more))
    before, after = (load_file(f / "model.safetensors") for f in (first, out / "then" / "model"))
    return {name for name in before if not torch.equal(before[name], after[name])}


def test_embeddings_and_first_layers_are_kept(encoded: Path, tmp_path: Path) -> None:
    changed = learnt(encoded, tmp_path / "kept", 2)
    assert changed
    assert all(name.startswith(("body.layers.2.", "W.", "v.")) for name in changed), changed
    everything = learnt(encoded, tmp_path / "free", None)
    assert {"embedding.weight", "body.position.weight", "body.layers.0.qkv.weight"} <= everything


def test_a_resumed_run_keeps_the_same_layers(encoded: Path, tmp_path: Path) -> None:
    run = {"steps": 1, "kept_layers": 1, "checkpoint_every": 1}
    train(settings_of(encoded, tmp_path / "run", run=run))
    with pytest.raises(UserError, match=r"run\.kept_layers differ"):
        again = {**run, "steps": 2, "kept_layers": 2}
        train(settings_of(encoded, tmp_path / "run", run=again), resume=True)
    train(settings_of(encoded, tmp_path / "run", run={**run, "steps": 2}), resume=True)


def test_what_has_no_such_layers_says_so(encoded: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"this reader has 2 layers.*give no more"):
        train(settings_of(encoded, tmp_path / "run", run={"kept_layers": 3}))
    plain = {"run": {"kept_layers": 1, "device": "cpu"}, "reader": {"hidden_size": 4}}
    wrong = check(TrainSettings, {"encoded": encoded, "out": tmp_path / "wrong", **plain})
    with pytest.raises(UserError, match="only an Encoder Reader can keep its first layers"):
        train(wrong)
