"""Batches of random stretches of texts, in changed capitals and with words covered up."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cloze.readers.kinds.encoder import BEGIN, END
from cloze.readers.tagging.casing import NO_WORD, Place, Shape
from cloze.readers.vocabulary import GAP, PADDING

COVERED = 0.04  # of the pieces
# How often a text, and a paragraph, is all in lower case, all capitals, or all Titles.
TEXTS = ((0.04, Shape.LOWER), (0.02, Shape.UPPER), (0.02, Shape.TITLE))
PARAGRAPHS = ((0.02, Shape.LOWER), (0.04, Shape.UPPER), (0.03, Shape.TITLE))
MOST_PARAGRAPHS = 64


class Batch(NamedTuple):
    """All [B, T]."""

    ids: Tensor
    casing: Tensor
    signs: Tensor  # BEGIN, END, or -1 for a piece
    absent: Tensor
    allowed: Tensor  # bits of labels; 0 where nothing is asked


class Source:
    def __init__(self, name: str, data: Mapping[str, np.ndarray], device: str) -> None:
        def taken(part: str) -> Tensor:
            return torch.from_numpy(data[f"{name}.{part}"].astype(np.int64)).to(device)

        self.name = name
        self.ids, self.casing, self.allowed = taken("ids"), taken("casing"), taken("allowed")
        self.lengths = taken("lengths")
        self.begins = self.lengths.cumsum(0) - self.lengths
        self.shares = self.lengths.double().clamp(max=1500)

    def stretches(self, count: int, length: int) -> tuple[Tensor, Tensor]:
        """Where random stretches of at most `length` begin, and how long they are."""
        text = torch.multinomial(self.shares, count, replacement=True)
        n = self.lengths[text]
        room = (n - 0.6 * length).clamp(min=1)
        start = (torch.rand(count, device=n.device) * room).long()
        return self.begins[text] + start, torch.minimum(n - start, torch.full_like(n, length))


def drawn(sources: Sequence[Source], shares: Tensor, length: int, count: int) -> Batch:
    """Texts from each source by its share, changed at random."""
    picks = torch.multinomial(shares, count, replacement=True).bincount(minlength=len(sources))
    parts = [
        laid(source, *source.stretches(rows, length - 2), length)
        for source, rows in zip(sources, picks.tolist(), strict=True)
        if rows
    ]
    batch = Batch(*(torch.cat(tensors) for tensors in zip(*parts, strict=True)))
    covered = (torch.rand(batch.ids.shape, device=shares.device) < COVERED) & (batch.signs < 0)
    covered &= ~batch.absent
    return batch._replace(
        ids=batch.ids.masked_fill(covered, GAP), casing=recased(batch.casing, batch.allowed > 0)
    )


def laid(source: Source, begin: Tensor, lengths: Tensor, width: int) -> Batch:
    """Stretches with signs around them, padded to the same width."""
    at = torch.arange(width, device=begin.device)[None] - 1
    inside = (at >= 0) & (at < lengths[:, None])
    where = (begin[:, None] + at).clamp(0, len(source.ids) - 1)
    signs = torch.full_like(where, -1)
    signs[:, 0] = BEGIN
    signs[at.expand_as(where) == lengths[:, None]] = END
    return Batch(
        torch.where(inside, source.ids[where], PADDING),
        torch.where(inside, source.casing[where], NO_WORD),
        signs,
        at.expand_as(where) > lengths[:, None],
        torch.where(inside, source.allowed[where], 0),
    )


def recased(casing: Tensor, begins_word: Tensor) -> Tensor:
    """The same texts, some of them or of their paragraphs in other capitals."""
    place, shape = casing // len(Shape), casing % len(Shape)
    paragraph = ((place == Place.OPENS_PARAGRAPH) & begins_word).cumsum(1)
    rows = len(casing)
    dice = torch.rand(rows, MOST_PARAGRAPHS, device=casing.device)
    new = _chosen(dice.gather(1, paragraph.clamp(max=MOST_PARAGRAPHS - 1)), PARAGRAPHS)
    whole = _chosen(torch.rand(rows, 1, device=casing.device).expand_as(casing), TEXTS)
    new = torch.where(whole > 0, whole, new)
    has_letters = (shape >= Shape.LOWER) & (shape <= Shape.MIXED) & (casing < NO_WORD)
    return torch.where(has_letters & (new > 0), place * len(Shape) + new, casing)


def _chosen(dice: Tensor, chances: Sequence[tuple[float, Shape]]) -> Tensor:
    """The shape that each throw stands for; 0 for none."""
    found, up_to = torch.zeros_like(dice, dtype=torch.int64), 0.0
    for chance, shape in chances:
        found[(dice >= up_to) & (dice < up_to + chance)] = int(shape)
        up_to += chance
    return found
