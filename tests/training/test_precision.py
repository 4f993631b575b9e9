"""`run.precision=auto` is settled by the reader and the device, before a run begins."""

from pathlib import Path

import pytest
import torch
import yaml

from cloze.config import check
from cloze.readers import device
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
    monkeypatch.setattr(device, "fast_in_sixteen_bits", lambda: quick)
    before = check(TrainSettings, {"reader": {"kind": kind}, "run": {"precision": asked}})
    chosen = "bf16" if quick and kind == "encoder" else "float32"
    after = settled(before, CPU)
    assert after.run.precision == (chosen if asked == "auto" else asked)
    assert after.run.model_copy(update={"precision": asked}) == before.run
    assert after.model_copy(update={"run": before.run}) == before


@pytest.mark.parametrize(("capability", "chosen"), [((7, 5), "float32"), ((8, 0), "bf16")])
def test_which_gpus_are_quick(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], chosen: str
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    asked = check(TrainSettings, {"reader": {"kind": "encoder"}, "run": {"precision": "auto"}})
    assert settled(asked, torch.device("cuda")).run.precision == chosen


def test_a_run_goes_on_as_it_began_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoded: Path
) -> None:
    reader = {"kind": "encoder", "layers": 1, "hidden_size": 16, "positions": 192}
    run = {"validate_on": 2, "device": "cpu", "precision": "auto"}
    given = {"encoded": str(encoded), "out": str(tmp_path / "run"), "reader": reader}
    for steps, quick in ((1, True), (2, False)):
        monkeypatch.setattr(device, "fast_in_sixteen_bits", lambda quick=quick: quick)
        train(check(TrainSettings, given | {"run": run | {"steps": steps}}), resume=steps > 1)
    noted = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text(encoding="utf-8"))
    assert noted["run"]["steps"] == 2
    assert noted["run"]["precision"] == "bf16"


@pytest.mark.parametrize("quick", [False, True])
def test_a_run_notes_which_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoded: Path, quick: bool
) -> None:
    monkeypatch.setattr(device, "fast_in_sixteen_bits", lambda: quick)
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
