"""Accuracy on a validation split, according to the softmax that is being trained."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from cloze.readers.config import ReaderConfig
from cloze.readers.network import loss, right
from cloze.training.batches import Feed, ValidationBatches
from cloze.training.distributed import Ranks
from cloze.training.precision import autocast, precision
from cloze.training.settings import TrainSettings


@dataclass(frozen=True)
class Validation:
    accuracy: float
    loss: float
    questions: int
    seconds: float


@torch.no_grad()
def validate(
    network: nn.Module,
    reader: ReaderConfig,
    batches: ValidationBatches,
    settings: TrainSettings,
    ranks: Ranks,
    tick: Callable[[int, int], None],
) -> Validation:
    """Each of R ranks reads every R-th batch; the device is read only once, at the end."""
    started = time.perf_counter()
    device = ranks.device
    # In double precision: a sum of many thousand losses must not depend on its order.
    totals = torch.zeros(2, dtype=torch.float64, device=device)
    own = range(ranks.rank, len(batches), ranks.count)
    feed = Feed(
        batches.plan, device, threads=settings.batches.threads, ahead=settings.batches.ahead
    )
    try:
        with precision(settings), autocast(settings, device):
            for part, batch in feed.over(own):
                logits, _ = network(batch)
                totals[0] += right(logits, batch, reader).sum()
                totals[1] += loss(logits, batch, reader) * len(batch)
                tick(part + 1, len(batches))
    finally:
        feed.close()
    correct, lost = ranks.sum(totals.tolist())
    questions = sum(map(len, batches.parts))
    seconds = time.perf_counter() - started
    return Validation(correct / questions, lost / questions, questions, seconds)
