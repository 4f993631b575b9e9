"""Asynchronous workers and ranks under torchrun, as real processes."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cloze.config import load
from cloze.errors import UserError
from cloze.training.checkpoints import Checkpoints
from cloze.training.distributed import LOST
from cloze.training.journal import read_metrics
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

CONFIG = """
reader: {kind: uniform, hidden_size: 4, embedding_size: 4}
batches: {size: 15}
optimiser: {learning_rate: 0.01, warmup: 2}
run: {steps: 8, validate_every: 4, checkpoint_every: 4, log_every: 1, device: cpu, threads: 1}
"""


def settings(tmp_path: Path, encoded: Path, name: str, *overrides: str) -> TrainSettings:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    return load(TrainSettings, config, [f"encoded={encoded}", f"out={tmp_path / name}", *overrides])


def numbers(out: Path) -> list[dict[str, Any]]:
    keys = ("step", "loss", "gradient_norm", "learning_rate", "valid_accuracy", "valid_loss")
    lines = read_metrics(out / "metrics.jsonl")
    return [{k: line[k] for k in keys if k in line} for line in lines]


def tensors(out: Path) -> list[bytes]:
    latest = Checkpoints(out).latest()
    assert latest is not None
    return [path.read_bytes() for path in sorted(latest.glob("*.safetensors"))]


def test_one_worker_is_the_synchronous_run_to_the_bit(tmp_path: Path, encoded: Path) -> None:
    dropout = ("reader.dropout=0.2", "run.log_every=3")
    train(settings(tmp_path, encoded, "synchronous", *dropout))
    train(settings(tmp_path, encoded, "one", *dropout, "run.workers=1"))
    assert tensors(tmp_path / "one") == tensors(tmp_path / "synchronous")
    assert numbers(tmp_path / "one") == numbers(tmp_path / "synchronous")


def test_two_workers_take_every_step_once(tmp_path: Path, encoded: Path) -> None:
    result = train(settings(tmp_path, encoded, "two", "run.workers=2", "run.log_every=4"))
    assert result.step == 8
    losses = [line["loss"] for line in numbers(tmp_path / "two") if "loss" in line]
    assert len(losses) == 2
    assert all(1 < loss < 5 for loss in losses)


def test_a_dead_worker_is_told(
    tmp_path: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cloze.training.asynchronous import Asynchronous

    run = Asynchronous.run

    def deadly(self: Asynchronous, start: int, *arguments: Any) -> Any:
        if start == 4:
            self.processes[0].kill()
            self.processes[0].join()
        return run(self, start, *arguments)

    monkeypatch.setattr(Asynchronous, "run", deadly)
    with pytest.raises(UserError, match=r"a worker process died.*--resume"):
        train(settings(tmp_path, encoded, "dead", "run.workers=1"))
    assert Checkpoints(tmp_path / "dead").latest() == tmp_path / "dead/checkpoints/step-00000004"


def test_two_ranks_of_torchrun_have_the_losses_of_one(tmp_path: Path, encoded: Path) -> None:
    noise = ["noise.wrong_articles=0.3", "noise.poorer_questions=0.5"]
    train(settings(tmp_path, encoded, "alone", *noise))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", "-m", "cloze", "train", str(tmp_path / "config.yaml")]
    command += [f"encoded={encoded}", f"out={tmp_path / 'two'}", *noise]
    found = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "USE_LIBUV": "0"}
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("best valid accuracy") == 1  # one rank speaks
    one, two = numbers(tmp_path / "alone"), numbers(tmp_path / "two")
    assert [line["step"] for line in one] == [line["step"] for line in two]
    for a, b in zip(one, two, strict=True):
        assert a == pytest.approx(b, abs=1e-5), json.dumps([a, b])


def _rank(tmp_path: Path, encoded: Path, rank: int, port: int) -> "subprocess.Popen[str]":
    """One of two ranks, as torchrun starts them."""
    command = [sys.executable, "-m", "cloze", "train", str(tmp_path / "config.yaml")]
    command += [f"encoded={encoded}", f"out={tmp_path / 'two'}", "run.steps=10000000"]
    joined = {"WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank)}
    joined |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "USE_LIBUV": "0"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | joined
    )


@pytest.mark.parametrize("killed", [0, 1])
def test_the_other_of_two_ranks_ends_with_one_line(
    tmp_path: Path, encoded: Path, killed: int
) -> None:
    settings(tmp_path, encoded, "two")  # writes the config
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    both = [_rank(tmp_path, encoded, rank, port) for rank in (0, 1)]
    try:
        while Checkpoints(tmp_path / "two").latest() is None:
            assert [process.poll() for process in both] == [None, None]
            time.sleep(0.05)
        both[killed].kill()
        _, said = both[1 - killed].communicate()
    finally:
        for process in both:
            process.kill()
            process.communicate()
    *shown, line = said.splitlines()
    assert line.startswith("error: another process of this run was lost")
    assert "--resume" in line
    assert all(
        before.startswith(("step ", "Uniform Reader: ")) for before in shown
    )  # what the first rank reports
    assert both[1 - killed].returncode == LOST
