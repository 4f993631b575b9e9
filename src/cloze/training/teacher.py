"""A teacher: what a larger reader thinks of the training questions, as targets for a smaller one.

The teacher's answers are kept in one .npz file, so that it need not run beside its pupil. It has
two arrays, in the order of the training split:

    candidates       int16 [questions, K]   the local entities that it finds likeliest, best first
    probabilities    uint8 [questions, K]   their probabilities, in 255ths

What is missing to 1 is the probability of all other candidates together. A question whose row is
all zeros was not asked; it is learnt from its answer alone. For any other, the pupil's loss is

    (1 - w) (-log p(answer)) + w (-sum over k of P_k log p_k - (1 - sum P) log (1 - sum p))

with the teacher's probabilities P and the pupil's p.
"""

import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np
import torch
from torch import Tensor

from cloze.compressed import check_ratio
from cloze.errors import UserError
from cloze.readers.batch import Batch
from cloze.readers.device import moved
from cloze.readers.encoded import NOT_NPY
from cloze.readers.states import States

NOT_THERE = -1e9  # finite, so that a question without candidates has a gradient of zero
LEAST = 1e-6  # probabilities below this are taken for it, to keep logarithms finite


@dataclass(frozen=True)
class Teacher:
    candidates: np.ndarray
    probabilities: np.ndarray
    weight: float

    @classmethod
    def open(cls, path: Path, weight: float, questions: int) -> "Teacher":
        """The answers in the file, checked against the number of training questions."""
        candidates, probabilities = _arrays(path)
        if len(candidates) != questions:
            raise UserError(
                f"has the answers to {len(candidates):,} questions, the training split "
                f"{questions:,}",
                where=path,
                fix="give the answers that were made from this split",
            )
        return cls(candidates, probabilities, weight)

    def watch(self) -> None:
        """It wants to see nothing of its pupil's reading but the answers."""

    def losses(
        self,
        plain: Tensor,
        logits: Tensor,
        batch: Batch,
        questions: np.ndarray,
        seen: States | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The loss of each of a batch's questions [B], `plain` being that of its answer alone, and
        which of them the teacher was asked. logits: [B, C], of the candidates of the batch"""
        said = moved(self.candidates[questions].astype(np.int64), logits.device)
        sure = moved(self.probabilities[questions].astype(np.float32) / 255, logits.device)
        asked = (sure > 0).any(1)
        soft = soft_losses(logits, batch.entities, said, sure)
        return torch.where(asked, (1 - self.weight) * plain + self.weight * soft, plain), asked


def soft_losses(logits: Tensor, entities: Tensor, said: Tensor, sure: Tensor) -> Tensor:
    """The cross-entropy between a teacher's probabilities and a pupil's for each question. [B]

    logits, entities: [B, C]; said, sure: [B, K]. A candidate that the pupil does not have is left
    out, its probability being that of all others.
    """
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    own = torch.softmax(wide.masked_fill(entities < 0, NOT_THERE), 1)
    same = said[:, :, None] == entities[:, None, :]  # [B, K, C]
    known = same.any(2) & (sure > 0)
    wanted = torch.where(known, sure, 0.0)
    own = torch.where(known, (own[:, None, :] * same).sum(2), 0.0)
    log_own = torch.where(known, own.clamp(min=LEAST).log(), 0.0)
    rest = (1 - wanted.sum(1)).clamp(min=0)
    log_rest = (1 - own.sum(1)).clamp(min=LEAST).log()
    return -((wanted * log_own).sum(1) + rest * log_rest)


def _arrays(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        with ZipFile(path) as kept:
            candidates, probabilities = (_array(kept, n) for n in ("candidates", "probabilities"))
    except OSError as problem:
        raise UserError(f"cannot be read ({problem})", where=path) from None
    except (*NOT_NPY, BadZipFile, KeyError, NotImplementedError, RuntimeError, zlib.error) as why:
        raise UserError(f"holds no answers of a teacher ({why})", where=path) from None
    if candidates.ndim != 2 or candidates.shape != probabilities.shape:
        raise UserError(
            f"candidates {candidates.shape} and probabilities {probabilities.shape} do not fit",
            where=path,
        )
    if probabilities.dtype != np.uint8 or not np.issubdtype(candidates.dtype, np.integer):
        raise UserError("has other types than int16 and uint8", where=path)
    return candidates, probabilities


def _array(kept: ZipFile, name: str) -> np.ndarray:
    """One array, which may be compressed."""
    about = kept.getinfo(f"{name}.npy")
    check_ratio(about.file_size, about.compress_size, Path(str(kept.filename)))
    with kept.open(about) as file:
        content = file.read(about.file_size)
    array: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
    return array
