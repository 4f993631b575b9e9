"""Resuming from a checkpoint: what must match it, and what it restores."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import NonNegativeFloat, NonNegativeInt
from torch import nn

from cloze.errors import UserError
from cloze.readers.tensor_files import check_fit
from cloze.shape import Shape
from cloze.training.checkpoints import STATE, WEIGHTS, Checkpoint, Checkpoints, read
from cloze.training.data import TrainingData
from cloze.training.rmsprop import Optimiser
from cloze.training.settings import TrainSettings, changed_keys


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


def restore(
    before: Checkpoint, data: TrainingData, network: nn.Module, optimiser: Optimiser
) -> Progress:
    """Restore network and optimiser; the data must be the same."""
    for key, own in fingerprints(data).items():
        if before.state[key] != own:
            what = "vocabulary" if key.startswith("vocabulary") else "training split"
            raise UserError(
                f"the checkpoint of step {before.state['step']} was made with another {what}",
                fix="give the corpus or encoded folder that this run started with",
            )
    check_fit(network.state_dict(), before.weights, before.path / WEIGHTS)
    network.load_state_dict(before.weights)
    optimiser.load(before.optimiser)
    return Progress(**{key: before.state[key] for key in Progress.__dataclass_fields__})


def fingerprints(data: TrainingData) -> dict[str, Any]:
    return {
        "vocabulary_sha256": data.vocabulary.sha256,
        "train_fingerprint": (data.train.meta or {}).get("corpus_fingerprint"),
    }
