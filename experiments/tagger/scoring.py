"""Exact spans of a tagger on texts that it was not trained on."""

from collections.abc import Callable

import numpy as np
import torch
from labels import ANYTHING, PLACES, begins, inside
from texts import Batch, Source, laid
from torch import Tensor

from cloze.readers.tagging.decoding import TYPES, names

WIDTH = 512
COARSE = {"held_ewt": {"PERSON", "ORG", *PLACES}}  # the types that a scheme knows
_BEGINS, _INSIDE = begins(TYPES), inside(TYPES)


@torch.no_grad()
def score(model: Callable[[Batch], Tensor], source: Source) -> str:
    """Texts that are longer than a window are read in several, end to end."""
    right = said = gold = 0
    for begin, length in zip(source.begins.tolist(), source.lengths.tolist(), strict=True):
        chances, allowed = [], source.allowed[begin : begin + length].cpu().numpy()
        for start in range(0, length, WIDTH - 2):
            n = min(WIDTH - 2, length - start)
            where = torch.tensor([begin + start], device=source.ids.device)
            batch = laid(source, where, torch.full_like(where, n), n + 2)
            chances.append(torch.softmax(model(batch), -1)[0, 1:-1].cpu().numpy())
        words = np.flatnonzero(allowed)
        kinds = COARSE.get(source.name, set(TYPES))
        found = {n[:2] for n in names(np.concatenate(chances)[words]) if n[2] in kinds}
        truth = _names(allowed[words].tolist())
        right += len(found & truth)
        said += len(found)
        gold += len(truth)
    precision, recall = 100 * right / max(said, 1), 100 * right / max(gold, 1)
    f = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"P {precision:.1f} R {recall:.1f} F {f:.1f} ({gold} names)"


def _names(allowed: list[int]) -> set[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at, bits in enumerate(allowed):
        if bits != ANYTHING and not bits & ~_BEGINS:
            found.append((at, at + 1))
        elif bits != ANYTHING and not bits & ~_INSIDE and found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
    return set(found)
