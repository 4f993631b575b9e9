"""Batches: some questions with their documents, and freshly drawn markers.

Tensors of tokens are time-major, [time, batch], and padded with 0, which no network looks at.
"""

from dataclasses import dataclass, field, fields, replace

import numpy as np
import torch
from torch import Tensor

from cloze.naming import apply, draw
from cloze.readers.encoded import EncodedSplit
from cloze.readers.vocabulary import FIRST_MARKER, PADDING


@dataclass(frozen=True)
class Sizes:
    """What the host knows of a batch. To ask a GPU for it, it would have to wait until the GPU has
    done all that it was given before."""

    documents: Tensor  # int64 [B]: their lengths
    questions: Tensor  # int64 [B]
    mentions: int  # the most in one document

    @classmethod
    def of(cls, batch: "Batch") -> "Sizes":
        times = torch.arange(len(batch.document), device=batch.document.device)
        there = times[:, None, None] < batch.document_lengths[None, :, None]
        same = batch.document[:, :, None] == batch.candidates[None]
        mentioned = (same & there & (batch.candidates != PADDING)).any(2)
        most = int(mentioned.sum(0).max()) if mentioned.numel() else 0
        return cls(batch.document_lengths.cpu(), batch.question_lengths.cpu(), most)


@dataclass(frozen=True, slots=True)
class Batch:
    """What every reader gets; a kind may add tensors in a subclass, with its own `collate`."""

    document: Tensor  # int64 [Td, B]
    document_lengths: Tensor  # int64 [B]
    question: Tensor  # int64 [Tq, B]
    question_lengths: Tensor  # int64 [B]
    candidates: Tensor  # int64 [B, C]: token ids of the markers in the context, then padding
    entities: Tensor  # int64 [B, C]: the local entity that each candidate stands for, then -1
    answers: Tensor  # int64 [B]: token ids, 0 where the answer is unknown
    # int64 [Tq, B]: the questions before training changed their words; None: it did not
    unchanged: Tensor | None = field(default=None, kw_only=True)
    known: Sizes | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def sizes(self) -> Sizes:
        return self.known or Sizes.of(self)

    @property
    def answer_positions(self) -> Tensor:
        """The position of each answer among its candidates, or -1 if it is not one of them. [B]"""
        hit = (self.candidates == self.answers[:, None]) & (self.candidates != PADDING)
        return torch.where(hit.any(1), hit.int().argmax(1), -1)

    def as_it_was(self) -> "Batch":
        """With the questions before training changed their words; they have not become longer."""
        if self.unchanged is None:
            return self
        return replace(self, question=self.unchanged, unchanged=None)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "Batch":
        moved = {name: x.to(device, non_blocking=non_blocking) for name, x in self._tensors()}
        return type(self)(**moved, known=self.sizes)

    def pin_memory(self) -> "Batch":
        """In page-locked memory, so that copying to a GPU does not block."""
        return type(self)(**{name: x.pin_memory() for name, x in self._tensors()}, known=self.known)

    def _tensors(self) -> list[tuple[str, Tensor]]:
        found = [(f.name, getattr(self, f.name)) for f in fields(self) if f.name != "known"]
        return [(name, x) for name, x in found if x is not None]


def collate(
    split: EncodedSplit,
    indices: np.ndarray,
    *,
    seed: int,
    epoch: int,
    pool: int | None,
) -> Batch:
    """The questions `indices` of a split as one batch.

    Each question's markers are drawn afresh from (seed, epoch, its key): from the whole pool or,
    with `pool=None`, from as many as its document has entities. With `pool=0` nothing is drawn: the
    first entity that the document mentions is @entity0, and so on. The answer to one question
    depends neither on the other questions in the batch nor on their order.
    """
    indices = np.asarray(indices, np.int64)
    owners = split.question_document[indices]
    counts = split.document_entities[owners]
    firsts = np.cumsum(counts, dtype=np.int64) - counts  # where each example begins in `drawn`

    document, column, length = _gather(split.document_tokens, split.document_offsets, owners)
    present, mentions = _present(document, column, counts)
    question, q_column, q_length = _gather(split.question_tokens, split.question_offsets, indices)
    if pool == 0:
        both = np.concatenate([document, question]), np.concatenate([column, q_column])
        drawn = _by_mention(*both, counts, firsts)
    else:
        drawn = draw(seed, epoch, split.question_keys[indices], counts, pool)
    widest = int(counts.max(initial=0))
    document = apply(document, FIRST_MARKER, widest, drawn, firsts[column])
    question = apply(question, FIRST_MARKER, widest, drawn, firsts[q_column])

    answers = split.question_answer[indices].astype(np.int64)
    known = answers >= 0
    answers[known] = FIRST_MARKER + drawn[firsts[known] + answers[known]]
    answers[~known] = PADDING
    entities, candidates = _candidates(present, drawn, firsts)
    return Batch(
        _padded(document, column, length),
        torch.from_numpy(length),
        _padded(question, q_column, q_length),
        torch.from_numpy(q_length),
        torch.from_numpy(candidates),
        torch.from_numpy(entities),
        torch.from_numpy(answers),
        known=Sizes(torch.from_numpy(length), torch.from_numpy(q_length), mentions),
    )


def _gather(
    tokens: np.ndarray, offsets: np.ndarray, which: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts `which` laid end to end, the column of each token, and the length of each text."""
    starts = offsets[which]
    length = offsets[which + 1] - starts
    flat = np.concatenate(
        [tokens[a : a + n] for a, n in zip(starts.tolist(), length.tolist(), strict=True)]
        or [np.zeros(0, np.int32)]
    )
    return flat, np.repeat(np.arange(len(which)), length), length


def _padded(flat: np.ndarray, column: np.ndarray, length: np.ndarray) -> Tensor:
    """[longest, texts], time-major, with padding after each text."""
    padded = np.full((int(length.max(initial=0)), len(length)), PADDING, np.int64)
    time = np.arange(len(flat)) - np.repeat(np.cumsum(length) - length, length)
    padded[time, column] = flat
    return torch.from_numpy(padded)


def _present(
    document: np.ndarray, column: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, int]:
    """Which local entities occur in the context, bool [B, most entities], and the most mentions."""
    present = np.zeros((len(counts), int(counts.max(initial=0))), bool)
    local = document - FIRST_MARKER
    is_marker = (local >= 0) & (local < counts[column])
    present[column[is_marker], local[is_marker]] = True
    return present, int(np.bincount(column[is_marker]).max(initial=0))


def _by_mention(
    tokens: np.ndarray, column: np.ndarray, counts: np.ndarray, firsts: np.ndarray
) -> np.ndarray:
    """The number of each entity in the order of first mention, the unmentioned ones last."""
    local = tokens - FIRST_MARKER
    is_marker = (local >= 0) & (local < counts[column])
    place = firsts[column[is_marker]] + local[is_marker]
    first_seen = np.full(int(counts.sum()), len(tokens))
    np.minimum.at(first_seen, place, np.flatnonzero(is_marker))
    example = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((first_seen, example))
    drawn = np.empty(len(order), np.int32)
    drawn[order] = np.arange(len(order)) - np.repeat(firsts, counts)
    return drawn


def _candidates(
    present: np.ndarray, drawn: np.ndarray, firsts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Local entities [B, C] padded with -1, and their token ids padded with 0."""
    example, entity = np.nonzero(present)
    how_many = present.sum(1)
    place = np.arange(len(example)) - np.repeat(np.cumsum(how_many) - how_many, how_many)
    shape = (len(present), max(int(how_many.max(initial=0)), 1))
    entities = np.full(shape, -1, np.int64)
    candidates = np.full(shape, PADDING, np.int64)
    entities[example, place] = entity
    candidates[example, place] = FIRST_MARKER + drawn[firsts[example] + entity]
    return entities, candidates
