"""Checkpoints are whole or not there."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from cloze.errors import UserError
from cloze.training import checkpoints
from cloze.training.checkpoints import Checkpoint, Checkpoints, read


def checkpoint(step: int) -> Checkpoint:
    weights = {"w": torch.arange(6.0).view(2, 3).t(), "b": torch.full((2,), float(step))}
    return Checkpoint(weights, {"square.w": torch.ones(3, 2)}, {"step": step, "note": "ä"})


def test_round_trip_to_the_bit(tmp_path: Path) -> None:
    path = Checkpoints(tmp_path).save(checkpoint(3))
    found = read(path)
    assert found.state == {"step": 3, "note": "ä"}
    assert torch.equal(found.weights["w"], checkpoint(3).weights["w"])
    assert torch.equal(found.optimiser["square.w"], torch.ones(3, 2))


def test_the_same_checkpoint_has_the_same_bytes(tmp_path: Path) -> None:
    a, b = (Checkpoints(tmp_path / name).save(checkpoint(3)) for name in "ab")
    assert [(a / f.name).read_bytes() for f in b.iterdir()] == [f.read_bytes() for f in b.iterdir()]


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_last_few_are_kept_and_the_best(tmp_path: Path, keep: int) -> None:
    made = Checkpoints(tmp_path, keep)
    for step in range(1, 6):
        made.save(checkpoint(step))
        if step == 2:
            made.save_best(checkpoint(2).weights, {"step": 2})
    assert [p.name for p in made.saved()] == [f"step-{s:08d}" for s in range(6 - keep, 6)]
    assert read(made.best).weights["b"].tolist() == [2.0, 2.0]
    assert made.latest() == made.directory / "step-00000005"


@pytest.mark.parametrize("name", [checkpoints.WEIGHTS, checkpoints.OPTIMISER, checkpoints.STATE])
@pytest.mark.parametrize("harm", ["truncate", "flip", "remove"])
def test_a_harmed_file_is_refused(tmp_path: Path, name: str, harm: str) -> None:
    path = Checkpoints(tmp_path).save(checkpoint(3)) / name
    data = bytearray(path.read_bytes())
    if harm == "truncate":
        path.write_bytes(data[:-1])
    elif harm == "flip":
        data[-2] ^= 1
        path.write_bytes(data)
    else:
        path.unlink()
    with pytest.raises(
        UserError, match=f"{name}.*(truncated|altered|missing).*delete step-00000003"
    ):
        read(path.parent)


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    path = Checkpoints(tmp_path).save(checkpoint(3))
    (path / checkpoints.MANIFEST).unlink()
    with pytest.raises(UserError, match=r"manifest.json: no such file"):
        read(path)


def test_what_is_half_written_is_never_picked_up(tmp_path: Path) -> None:
    made = Checkpoints(tmp_path)
    whole = made.save(checkpoint(3))
    shutil.copytree(whole, made.directory / ".step-00000009.123.partial")
    assert made.latest() == whole
    made.clean()
    assert sorted(p.name for p in made.directory.iterdir()) == [whole.name]


def test_a_best_that_was_moved_aside_comes_back(tmp_path: Path) -> None:
    made = Checkpoints(tmp_path)
    made.save_best(checkpoint(1).weights, {"step": 1})
    made.best.rename(tmp_path / ".best.77.old")  # killed between the two renames
    made.clean()
    assert read(made.best).state == {"step": 1}


@pytest.mark.parametrize("kind", ["ours", "safetensors"])
def test_a_full_disk_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    made = Checkpoints(tmp_path, keep=1)
    before = made.save(checkpoint(3))
    bytes_before = (before / checkpoints.WEIGHTS).read_bytes()

    def full(tensors: Any, path: Path, metadata: Any) -> None:
        Path(path).write_bytes(b"half")
        if kind == "safetensors":
            from safetensors import SafetensorError

            raise SafetensorError("I/O error: No space left on device (os error 28)")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("cloze.readers.tensor_files.save_file", full)
    with pytest.raises(UserError, match=r"the disk is full; nothing half-written was left"):
        made.save(checkpoint(4))
    assert sorted(p.name for p in made.directory.iterdir()) == [before.name]
    assert (before / checkpoints.WEIGHTS).read_bytes() == bytes_before


def test_checkpoints_of_format_1_stay_readable() -> None:
    found = read(Path(__file__).parent / "golden" / "checkpoint-1")
    assert found.state["step"] == 7
    assert found.weights["embedding.weight"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert found.optimiser["move.answer.weight"].tolist() == [[0.0, 0.125, -1.0]]
