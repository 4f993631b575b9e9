"""What training minimises: the loss of the answers, mixed with a teacher's and that of noise.

A question that was put to the wrong article (`cloze.training.noise`) has no answer there, and its
loss is -log(1.001 - max p): it falls as the reader becomes less sure of anybody.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.device import moved
from cloze.readers.network import answerable, loss
from cloze.readers.states import States
from cloze.training.reading_teacher import ReadingTeacher
from cloze.training.teacher import NOT_THERE, Teacher

BEYOND = 1.001  # a little more than certainty, which keeps the logarithm finite


@dataclass(frozen=True)
class Objective:
    reader: ReaderConfig
    teacher: Teacher | ReadingTeacher | None = None

    def watch(self) -> States | None:
        """What the network is given to fill in; None: nobody wants to see it."""
        return None if self.teacher is None else self.teacher.watch()

    def __call__(
        self,
        logits: Tensor,
        batch: Batch,
        questions: np.ndarray | None = None,
        wrong: np.ndarray | None = None,
        seen: States | None = None,
    ) -> Tensor:
        """The mean over the questions of a batch that something can be learnt from."""
        taught = self.teacher is not None and questions is not None
        if not taught and wrong is None:
            return loss(logits, batch, self.reader)
        each = loss(logits, batch, self.reader, "none")
        counted = answerable(batch, self.reader)
        if self.teacher is not None and questions is not None:
            each, asked = self.teacher.losses(each, logits, batch, questions, seen)
            counted = counted | asked
        if wrong is not None:
            misled = moved(wrong, logits.device)
            each, counted = torch.where(misled, sureness(logits), each), counted | misled
        return (each * counted).sum() / counted.sum().clamp(min=1)


def sureness(logits: Tensor) -> Tensor:
    """The loss of being sure of anybody, for each question. [B, C] -> [B]"""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32)).clamp(min=NOT_THERE)
    return -(BEYOND - torch.softmax(wide, 1).amax(1)).log()
