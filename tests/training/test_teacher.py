"""A teacher's probabilities as targets: the equation, the file, and a pupil that believes it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cloze.config import check
from cloze.errors import UserError
from cloze.readers.encoded import EncodedSplit
from cloze.training.settings import TrainSettings
from cloze.training.teacher import Teacher, soft_losses
from cloze.training.trainer import train


def plain_soft_loss(logits: list[float], teacher: dict[int, float]) -> float:
    """From the equation, for one question whose candidates are 0, 1, 2 ..."""
    p = np.exp(logits) / np.exp(logits).sum()
    said = {k: share for k, share in teacher.items() if k < len(p)}
    rest, own_rest = 1 - sum(said.values()), 1 - sum(p[k] for k in said)
    wanted = -sum(share * np.log(p[k]) for k, share in said.items())
    return float(wanted - rest * np.log(max(own_rest, 1e-6)))


@given(
    logits=st.lists(st.floats(-4, 4), min_size=2, max_size=6),
    first=st.floats(0.3, 0.9),
    second=st.floats(0.01, 0.1),
)
def test_the_equation(logits: list[float], first: float, second: float) -> None:
    """Against NumPy; entity 9 is none of the candidates, and padding counts for nothing."""
    more = [*logits, float("-inf")]
    entities = torch.tensor([[*range(len(logits)), -1]])
    said, sure = torch.tensor([[1, 0, 9, -1]]), torch.tensor([[first, second, 0.0, 0.0]])
    found = soft_losses(torch.tensor([more]), entities, said, sure)
    expected = plain_soft_loss(logits, {1: first, 0: second})
    assert found.item() == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_a_question_without_candidates_has_no_gradient() -> None:
    logits = torch.full((1, 2), float("-inf"), requires_grad=True)
    nobody = torch.full((1, 2), -1)
    loss = soft_losses(logits, nobody, torch.tensor([[0, 1]]), torch.tensor([[0.7, 0.2]]))
    loss.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert torch.equal(logits.grad, torch.zeros(1, 2))


def settings_of(encoded: Path, out: Path, answers: Path, **reader: Any) -> TrainSettings:
    values = {
        "encoded": str(encoded),
        "out": str(out),
        "reader": {"kind": "attention-sum", "hidden_size": 16, "embedding_size": 16, **reader},
        "batches": {"tokens": 400},
        "teacher": {"answers": str(answers), "weight": 1.0},
        "optimiser": {"name": "adam", "learning_rate": 0.01},
        "run": {"steps": 120, "validate_every": 60, "device": "cpu"},
    }
    return check(TrainSettings, values)


def contrary(encoded: Path, path: Path) -> Path:
    """A teacher that is always sure, and of the other person that is asked about."""
    answers = EncodedSplit.open(encoded / "train").question_answer
    said = np.stack([1 - answers, answers], 1).astype(np.int16)
    sure = np.tile(np.array([255, 0], np.uint8), (len(answers), 1))
    np.savez(path, candidates=said, probabilities=sure)
    return path


def test_a_pupil_believes_its_teacher(encoded: Path, tmp_path: Path) -> None:
    """The teacher names the buyer of the other thing; whoever learns from it is always wrong."""
    answers = contrary(encoded, tmp_path / "teacher.npz")
    result = train(settings_of(encoded, tmp_path / "run", answers))
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    last = [line for line in lines if "valid_accuracy" in line][-1]
    assert result.step == 120
    assert float(last.split('"valid_accuracy": ')[1].split(",")[0]) < 0.15  # chance is 0.25


def test_what_is_no_teacher_is_refused(encoded: Path, tmp_path: Path) -> None:
    good = np.zeros((3, 4), np.int16), np.zeros((3, 4), np.uint8)
    path = tmp_path / "t.npz"
    for arrays, message in (
        ({"candidates": good[0]}, "holds no answers"),
        ({"candidates": good[0], "probabilities": good[1][:2]}, "do not fit"),
        ({"candidates": good[0], "probabilities": good[0]}, "other types"),
        ({"candidates": good[0], "probabilities": good[1]}, "to 3 questions, the training split 8"),
    ):
        np.savez(path, **arrays)
        with pytest.raises(UserError, match=message):
            Teacher.open(path, 0.5, 80)
    path.write_bytes(b"no archive")
    with pytest.raises(UserError):
        Teacher.open(path, 0.5, 80)
    with pytest.raises(UserError, match="cannot be read"):
        Teacher.open(tmp_path / "none.npz", 0.5, 80)
    np.savez(path, candidates=good[0], probabilities=good[1])
    with pytest.raises(UserError, match="chooses among the candidates"):
        settings = settings_of(encoded, tmp_path / "x", path, kind="attentive", output="vocabulary")
        train(settings)
