"""Killed, told to stop, out of disk: a resumed run equals the undisturbed one to the bit."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cloze.training.checkpoints import Checkpoints
from cloze.training.journal import read_metrics
from tests.conftest import needs_signals

pytestmark = needs_signals

CONFIG = """
reader: {kind: attentive, hidden_size: 4, embedding_size: 4, dropout: 0.2}
batches: {size: 16}
optimiser: {learning_rate: 0.01, schedule: plateau, warmup: 3, centred: true}
run: {steps: 11, validate_every: 4, checkpoint_every: 1, log_every: 3, keep: 2, device: cpu}
"""
TIMES = {"minutes", "questions_per_second", "tokens_per_second", "data_wait_share", "valid_seconds"}


class Lives:
    """Runs plans of `lives.py`, all in one process that forks."""

    def __init__(self, directory: Path, encoded: Path) -> None:
        self.directory = directory
        self.config = directory / "config.yaml"
        self.config.write_text(CONFIG)
        self.encoded = encoded
        self.plan: list[dict[str, Any]] = []

    def add(self, name: str, *overrides: str, resume: bool = True, **how: Any) -> Path:
        out = self.directory / name
        arguments = [str(self.config), f"encoded={self.encoded}", f"out={out}", *overrides]
        life = {"arguments": arguments + ["--resume"] * resume, "log": f"{out}.log", **how}
        self.plan.append({"notes": f"{out}.batches", **life})
        return out

    def run(self) -> list[int]:
        path = self.directory / "plan.json"
        path.write_text(json.dumps(self.plan))
        script = Path(__file__).with_name("lives.py")
        found = subprocess.run([sys.executable, script, path], capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        return [int(line) for line in found.stdout.split()]


@pytest.fixture
def lives(tmp_path: Path, encoded: Path) -> Lives:
    return Lives(tmp_path, encoded)


def remains(out: Path) -> dict[str, Any]:
    """Everything a run leaves behind except times."""
    latest = Checkpoints(out).latest()
    assert latest is not None
    state = json.loads((latest / "state.json").read_text())
    batches = dict(json.loads(line) for line in Path(f"{out}.batches").read_text().splitlines())
    return {
        "weights": (latest / "weights.safetensors").read_bytes(),
        "optimiser": (latest / "optimiser.safetensors").read_bytes(),
        "best": (out / "best" / "weights.safetensors").read_bytes(),
        "model": (out / "model" / "model.safetensors").read_bytes(),
        "state": {k: v for k, v in state.items() if k not in TIMES | {"config"}},
        "metrics": [
            {k: v for k, v in line.items() if k not in TIMES}
            for line in read_metrics(out / "metrics.jsonl")
        ],
        "batches": batches,
    }


def same_batches_in_every_life(out: Path) -> bool:
    pairs = [tuple(json.loads(x)) for x in Path(f"{out}.batches").read_text().splitlines()]
    return len(set(pairs)) == len(dict(pairs))


def test_killed_at_every_kth_step_is_bit_equal(lives: Lives) -> None:
    straight = lives.add("straight")
    killed = [
        lives.add(f"killed-{k}", die_in_update=k + 1, until_done=True) for k in (1, 2, 3, 5, 7)
    ]
    # With fewer checkpoints, the work since the last one is repeated exactly.
    sparse = lives.add("sparse", "run.checkpoint_every=3", die_in_update=5, until_done=True)
    saving = lives.add("saving", die_in_save=3, until_done=True)
    codes = lives.run()
    # A life has k steps saved when it dies: eleven steps take ceil(11 / k) lives.
    deaths = [len(range(0, 11, k)) - 1 for k in (1, 2, 3, 5, 7)]
    assert codes.count(-signal.SIGKILL) > sum(deaths)
    assert codes.count(0) == 8
    expected = remains(straight)
    assert len(expected["batches"]) == 11
    assert len(expected["metrics"]) == 6
    for out in (*killed, sparse, saving):
        assert remains(out) == expected, out.name
        assert same_batches_in_every_life(out)
    assert not list(saving.rglob(".*.partial"))


def test_signals_save_and_leave_politely(lives: Lives) -> None:
    longer = ("run.steps=60", "run.checkpoint_every=50")
    straight = lives.add("straight", *longer)
    for name, number in (("terminated", signal.SIGTERM), ("interrupted", signal.SIGINT)):
        lives.add(
            name, *longer, signal=number, when=str(lives.directory / name / "best" / "state.json")
        )
        lives.add(name, *longer)
    assert lives.run() == [0, 143, 0, 130, 0]
    for name in ("terminated", "interrupted"):
        out = lives.directory / name
        log = Path(f"{out}.log").read_text()
        assert "interrupted; saved" in log
        assert "continuing from step" in log
        assert remains(out) == remains(straight)
