"""Checkpoints: complete or absent, verified when read; the last few and the best are kept.

    checkpoints/step-00000200/weights.safetensors     the reader
                              optimiser.safetensors   its squares and momenta
                              average.safetensors     the mean of its weights, with run.average
                              state.json              step, best accuracy, config, fingerprints
                              manifest.json           bytes and sha256 of the others, written last
    best/                     the weights and the state of the best validation so far

A checkpoint is written under a temporary name, flushed, and renamed. A kill or a full disk at any
moment leaves the previous one intact; a half-written one has no manifest and is never read.
"""

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import NonNegativeInt
from torch import Tensor

from cloze.errors import UserError
from cloze.files import PARTIAL, described, read_json, verify, whole_directory, write_json
from cloze.readers.tensor_files import load_tensors, save_tensors
from cloze.shape import Shape

FORMAT = 1
MANIFEST = "manifest.json"
WEIGHTS, OPTIMISER, STATE = "weights.safetensors", "optimiser.safetensors", "state.json"
AVERAGE = "average.safetensors"
_STEP = re.compile(r"step-(\d{8,})$")


@dataclass(frozen=True)
class Checkpoint:
    weights: dict[str, Tensor]
    optimiser: dict[str, Tensor]  # empty in `best`, which no run resumes from
    state: dict[str, Any]
    average: dict[str, Tensor] = field(default_factory=dict)  # of the weights, if it is kept
    path: Path = Path()  # where it was read from


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, run: Path, keep: int = 2) -> None:
        self.directory, self.best = run / "checkpoints", run / "best"
        self.keep = keep

    def clean(self) -> None:
        """Remove what a killed process left half-written, or put back what it had moved aside."""
        for old in self.best.parent.glob(f".{self.best.name}.*.old"):
            if self.best.exists():
                shutil.rmtree(old)
            else:
                old.rename(self.best)
        for parent in (self.directory, self.best.parent):
            for leftover in parent.glob(f".*{PARTIAL}"):
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)

    def save(self, checkpoint: Checkpoint) -> Path:
        path = self.directory / f"step-{checkpoint.state['step']:08d}"
        if not path.exists():  # a resumed run may be at a step it has already saved
            _write(path, checkpoint)
        others = [p for p in self.saved() if p != path]
        for old in others[: max(0, len(others) + 1 - self.keep)]:
            shutil.rmtree(old)
        return path

    def save_best(self, weights: dict[str, Tensor], state: dict[str, Any]) -> None:
        _write(self.best, Checkpoint(weights, {}, state))

    def saved(self) -> list[Path]:
        """The complete ones, oldest first."""
        if not self.directory.is_dir():
            return []
        return sorted(p for p in self.directory.iterdir() if _STEP.match(p.name))

    def latest(self) -> Path | None:
        return next(iter(reversed(self.saved())), None)


def read(path: Path) -> Checkpoint:
    """Read a checkpoint; an incomplete one is refused."""
    manifest = read_json(path / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise UserError(f"is not a checkpoint of format {FORMAT}", where=path)
    fix = f"delete {path.name} to go on from the checkpoint before it"
    _Manifest.check(manifest, where=path / MANIFEST, fix=fix)
    for name, expected in manifest["files"].items():
        verify(path / name, expected, fix=fix)
    weights = load_tensors(path / WEIGHTS)
    optimiser, average = (
        load_tensors(path / name) if name in manifest["files"] else {}
        for name in (OPTIMISER, AVERAGE)
    )
    state = _State.check(read_json(path / STATE), where=path / STATE, fix=fix)
    return Checkpoint(weights, optimiser, state, average, path)


class _File(Shape):
    bytes: NonNegativeInt
    sha256: str


class _Manifest(Shape):
    files: dict[str, _File]


class _State(Shape):
    step: NonNegativeInt


def _write(path: Path, checkpoint: Checkpoint) -> None:
    with whole_directory(path, overwrite=True) as temporary:
        save_tensors(temporary / WEIGHTS, checkpoint.weights)
        for name, tensors in ((OPTIMISER, checkpoint.optimiser), (AVERAGE, checkpoint.average)):
            if tensors:
                save_tensors(temporary / name, tensors)
        write_json(temporary / STATE, checkpoint.state)
        files = {file.name: described(file) for file in sorted(temporary.iterdir())}
        write_json(temporary / MANIFEST, {"format": FORMAT, "files": files})
