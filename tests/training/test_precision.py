"""`run.precision=auto` is settled by the reader and the device, before a run begins."""

from pathlib import Path

import pytest
import torch
import yaml

from cloze.config import check
from cloze.training import precision
from cloze.training.precision import settled
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

CPU = torch.device("cpu")


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("kind", ["encoder", "attentive"])
@pytest.mark.parametrize("asked", ["auto", "float32", "fp16"])
def test_what_auto_means(
    monkeypatch: pytest.MonkeyPatch, asked: str, kind: str, quick: bool
) -> None:
    monkeypatch.setattr(precision, "fast_in_sixteen_bits", lambda: quick)
    before = check(TrainSettings, {"reader": {"kind": kind}, "run": {"precision": asked}})
    chosen = "bf16" if quick and kind == "encoder" else "float32"
    after = settled(before, CPU)
    assert after.run.precision == (chosen if asked == "auto" else asked)
    assert after.run.model_copy(update={"precision": asked}) == before.run
    assert after.model_copy(update={"run": before.run}) == before


@pytest.mark.parametrize("quick", [False, True])
def test_a_run_notes_which_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoded: Path, quick: bool
) -> None:
    monkeypatch.setattr(precision, "fast_in_sixteen_bits", lambda: quick)
    reader = {"kind": "encoder", "layers": 1, "hidden_size": 16, "positions": 192}
    run = {"steps": 2, "validate_on": 2, "device": "cpu", "precision": "auto"}
    out = tmp_path / "run"
    train(
        check(
            TrainSettings, {"encoded": str(encoded), "out": str(out), "reader": reader, "run": run}
        )
    )
    noted = yaml.safe_load((out / "config.yaml").read_text(encoding="utf-8"))
    assert noted["run"]["precision"] == ("bf16" if quick else "float32")
