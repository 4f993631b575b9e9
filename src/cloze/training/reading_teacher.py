"""A teacher that reads every training batch beside its pupil, instead of having answered before.

It reads the same articles with the same markers, and the questions in their own words, even where
the pupil gets them in others. The pupil's loss for a question is

    (1 - w) (-log p(answer)) + w (-sum over the candidates c of P_c log p_c) + s d

with the teacher's probabilities P, the pupil's p, and the distance d of their hidden states: the
mean squared difference divided by the variance of the teacher's, after the last layer, at the gap
and the mentions. With pairs of inner layers it is the mean over these, for all word pieces, and
that.

The teacher's weights are frozen and belong to no checkpoint, and it draws nothing at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from cloze.errors import UserError
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.encoder import Encoder
from cloze.readers.kinds.encoder import EncoderConfig
from cloze.readers.network import Network
from cloze.readers.reader import Reader
from cloze.readers.saving import hash_of_weights
from cloze.readers.shipped_models import model_at
from cloze.readers.states import States, distances
from cloze.training.settings import TeacherSettings
from cloze.training.teacher import NOT_THERE

SAME_ROWS = ("hidden_size", "positions", "separators", "texts")  # so that states can be compared


@dataclass(frozen=True)
class ReadingTeacher:
    network: Network
    settings: TeacherSettings
    temperature: float = 1.0  # of its probabilities, if it is calibrated
    sha256: str = ""  # of its weights

    @classmethod
    def open(
        cls,
        settings: TeacherSettings,
        pupil: ReaderConfig,
        vocabulary: Encoder,
        device: torch.device,
    ) -> "ReadingTeacher":
        assert settings.reader is not None
        teacher = Reader.from_pretrained(model_at(settings.reader), device, exact=True)
        assert teacher.directory is not None
        check_it_fits(teacher, pupil, vocabulary, settings)
        network = teacher.network.requires_grad_(False).eval()
        return cls(network, settings, teacher.temperature, hash_of_weights(teacher.directory))

    def watch(self) -> States | None:
        """What it wants to see of its pupil's reading."""
        return (
            States([pupil for pupil, _ in self.settings.layers]) if self.settings.states else None
        )

    def losses(
        self,
        plain: Tensor,
        logits: Tensor,
        batch: Batch,
        questions: np.ndarray,
        seen: States | None = None,
    ) -> tuple[Tensor, Tensor]:
        """As `cloze.training.teacher.Teacher` has it; it is asked wherever there is a candidate."""
        own = None if seen is None else States([teacher for _, teacher in self.settings.layers])
        # Gradients stay switched on, though no frozen weight has one: so it reads as in training,
        # which never waits for a GPU.
        said, _ = self.network(batch.as_it_was(), None, own)
        weight, asked = self.settings.weight, (batch.entities >= 0).any(1)
        taught = (1 - weight) * plain
        taught = taught + weight * soft_losses(logits, said / self.temperature, batch.entities)
        if seen is not None and own is not None:
            apart = mean_distances(seen, own, self.settings.layers, len(batch))
            taught = taught + self.settings.states * apart
        return torch.where(asked, taught, plain), asked


def soft_losses(logits: Tensor, said: Tensor, entities: Tensor) -> Tensor:
    """The cross-entropy between the probabilities of a teacher's logits and a pupil's. [B]

    logits, said, entities: [B, C]
    """
    wide = torch.promote_types(logits.dtype, torch.float32)
    own, wanted = (x.to(wide).masked_fill(entities < 0, NOT_THERE) for x in (logits, said))
    return -(torch.softmax(wanted, 1) * torch.log_softmax(own, 1)).sum(1)


def mean_distances(
    pupil: States, teacher: States, layers: Sequence[tuple[int, int]], questions: int
) -> Tensor:
    """The mean over the last layer and the pairs of inner ones. [B]"""
    assert pupil.last is not None
    assert teacher.last is not None
    pairs = [(pupil.last, teacher.last)]
    pairs += [(pupil.inner[own], teacher.inner[its]) for own, its in layers]
    return torch.stack([distances(own, its, questions) for own, its in pairs]).mean(0)


def check_it_fits(
    teacher: Reader, pupil: ReaderConfig, vocabulary: Encoder, settings: TeacherSettings
) -> None:
    folder, config = teacher.directory, teacher.config
    if not isinstance(config, EncoderConfig):
        raise UserError(
            f"only an Encoder Reader can teach while it reads, and this is the {config.name}",
            where=folder,
            fix="give the file of its answers as teacher.answers",
        )
    if teacher.vocabulary.sha256 != vocabulary.sha256:
        raise UserError(
            "this teacher's word pieces are not those of the data",
            where=folder,
            fix="encode the corpus with them, or prune teacher and pupil to the same words",
        )
    if config.markers != pupil.markers:
        raise UserError(
            f"this teacher knows markers of the sort '{config.markers}', the pupil reads "
            f"'{pupil.markers}'",
            where=folder,
            fix=f"set reader.markers={config.markers}",
        )
    if settings.states:
        _check_states(folder, config, pupil, settings.layers)


def _check_states(
    folder: Path | None,
    teacher: EncoderConfig,
    pupil: ReaderConfig,
    layers: Sequence[tuple[int, int]],
) -> None:
    if not isinstance(pupil, EncoderConfig):
        raise UserError(
            f"the {pupil.name} has no states that could be compared",
            where="teacher.states",
            fix="set it to 0",
        )
    for key in SAME_ROWS:
        own, its = getattr(pupil, key), getattr(teacher, key)
        if own != its:
            raise UserError(
                f"states can be compared only if both readers have the same reader.{key}: "
                f"the teacher has {its}, the pupil {own}",
                where=folder,
                fix="set teacher.states=0, or choose another pupil",
            )
    for which, config, wanted in (
        ("pupil", pupil, [own for own, _ in layers]),
        ("teacher", teacher, [its for _, its in layers]),
    ):
        _check_layers(which, config, wanted)


def _check_layers(which: str, config: EncoderConfig, wanted: Sequence[int]) -> None:
    if wanted and config.architecture is not None:
        raise UserError(
            f"the {which}'s inner layers are run by the package transformers and cannot be seen",
            where="teacher.layers",
            fix="leave it out",
        )
    beyond = [layer for layer in wanted if layer >= config.layers - 1]
    if beyond:
        raise UserError(
            f"the {which} has no inner layer {beyond[0]}: it has {config.layers} layers, counted "
            "from 0, and the last is always compared",
            where="teacher.layers",
        )
