"""Resuming from a checkpoint: what must match it, and what it restores."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import NonNegativeFloat, NonNegativeInt
from torch import nn

from cloze.errors import UserError
from cloze.readers.tensor_files import check_fit
from cloze.shape import Shape
from cloze.training.averaging import Averaged
from cloze.training.checkpoints import AVERAGE, STATE, WEIGHTS, Checkpoint, Checkpoints, read
from cloze.training.data import TrainingData
from cloze.training.reading_teacher import ReadingTeacher
from cloze.training.rmsprop import Optimiser
from cloze.training.settings import TrainSettings, changed_keys
from cloze.training.teacher import Teacher


@dataclass
class Progress:
    """What a checkpoint stores besides the weights and the optimiser's state."""

    step: int = 0
    best_accuracy: float = -1.0
    best_step: int = 0
    stale: int = 0  # validations since the best one
    halvings: int = 0  # of the rate, in the plateau schedule
    minutes: float = 0.0  # of training so far
    pending: list[float] = field(default_factory=list)  # losses not yet in a log line


class State(Shape):
    """The whole state of a checkpoint, as JSON holds it."""

    step: NonNegativeInt
    best_accuracy: float
    best_step: NonNegativeInt
    stale: NonNegativeInt
    halvings: NonNegativeInt
    minutes: NonNegativeFloat
    pending: list[float]
    config: dict[str, Any]
    vocabulary_sha256: str
    train_fingerprint: str | None
    teacher_sha256: str | None = None  # of the weights of a teacher that reads beside its pupil
    teacher_temperature: float | None = None


def to_go_on_from(checkpoints: Checkpoints, settings: TrainSettings) -> Checkpoint | None:
    """The last checkpoint, if there is one; it must have been made with the same config."""
    latest = checkpoints.latest()
    if latest is None:
        return None
    before = read(latest)
    State.check(before.state, where=latest / STATE)
    changed = changed_keys(before.state["config"], settings)
    if changed:
        raise UserError(
            f"this run was started with another config: {', '.join(changed)} differ",
            where=latest,
            fix="restore the old values, or give another out=",
        )
    return before


_CORPUS = "corpus or encoded folder"
WHAT = {  # a run is made with, and what says so
    "vocabulary": ("vocabulary", _CORPUS),
    "train": ("training split", _CORPUS),
    "teacher": ("teacher", "teacher.reader"),
}


def restore(
    before: Checkpoint,
    made_with: dict[str, Any],
    network: nn.Module,
    optimiser: Optimiser,
    averaged: Averaged | None = None,
) -> Progress:
    """Restore network, optimiser and mean weights; what the run is made with must be the same."""
    for key, own in made_with.items():
        if before.state.get(key) != own:
            what, where = WHAT[key.partition("_")[0]]
            raise UserError(
                f"the checkpoint of step {before.state['step']} was made with another {what}",
                fix=f"give the {where} that this run started with",
            )
    check_fit(network.state_dict(), before.weights, before.path / WEIGHTS)
    network.load_state_dict(before.weights)
    optimiser.load(before.optimiser)
    if averaged is not None:
        check_fit(averaged.means, before.average, before.path / AVERAGE)
        averaged.load(before.average)
    return Progress(**{key: before.state[key] for key in Progress.__dataclass_fields__})


def fingerprints(
    data: TrainingData, teacher: Teacher | ReadingTeacher | None = None
) -> dict[str, Any]:
    """What a run is made with, beside its config."""
    made_with = {
        "vocabulary_sha256": data.vocabulary.sha256,
        "train_fingerprint": (data.train.meta or {}).get("corpus_fingerprint"),
    }
    if isinstance(teacher, ReadingTeacher):
        made_with["teacher_sha256"] = teacher.sha256
        made_with["teacher_temperature"] = teacher.temperature
    return made_with
