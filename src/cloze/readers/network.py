"""The interface of every reader's network, and the loss that it is trained on."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.errors import UserError
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.vocabulary import PADDING


class Network(nn.Module):
    """The parent of every reader's network.

    A network is made from its config and the number of token ids. It is called with a batch and,
    during training, with a generator for dropout (`cloze.readers.layers.noise`):

        logits, attention = network(batch, noise)

    Logits are [B, ids], or [B, C] in the order of `batch.candidates`, as `config.output` says, and
    minus infinity where there is nothing to choose. Attention is [B, Td] or [B, Tq, Td], zero at
    padding, or None.
    """

    # Weights that another kind has under another name, as {its name: our name}; `start_from` then
    # takes them over.
    same_weights: ClassVar[Mapping[str, str]] = {}

    def fill(self, random: torch.Generator) -> None:
        """Draw the first weights, all from `random`.

        A network without this method keeps what its layers drew when they were made, which is a
        function of the seed too.
        """

    def windows(self, batch: Batch) -> list[int]:
        """In how many overlapping windows each question's document is read."""
        return [1] * len(batch)

    def answer_in_fewer_bits(self) -> str | None:
        """From now on, multiply in fewer bits where that is the faster way to an answer, and in
        which. Training, which needs gradients, goes on as before."""
        return None

    def recompute(self) -> None:
        """From now on, keep less of the forward pass and compute it again for the backward one."""
        raise UserError(
            "only an Encoder Reader can compute its layers again",
            where="run.recompute",
            fix="leave it out; batches.accumulate saves memory too",
        )

    def keep(self, layers: int) -> None:
        """From now on, train neither the embeddings nor the first layers."""
        raise UserError(
            "only an Encoder Reader can keep its first layers as they are",
            where="run.kept_layers",
            fix="leave it out",
        )

    def film(self, batch: Batch) -> Tensor | None:
        """The logits after each token of the question [Tq, B, ids or C], for a network that looks
        at the document again at each of them."""
        return None

    def read_rows(self) -> list[Tensor]:
        """The weights with a row for each token id, looked up for the tokens that are read."""
        return []

    def answer_rows(self) -> list[Tensor]:
        """The weights with a row for each token id, looked up only for possible answers."""
        return []


def loss(
    logits: Tensor, batch: Batch, config: ReaderConfig, reduction: Literal["mean", "none"] = "mean"
) -> Tensor:
    """The mean of -log p(a | d, q) over the questions that can be answered; with "none", that of
    each question [B], zero where there is no answer."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    wanted = _wanted(batch, config)
    return F.cross_entropy(wide, wanted, ignore_index=_unknown(config), reduction=reduction)


def answerable(batch: Batch, config: ReaderConfig) -> Tensor:
    """Which questions have a known answer that could be chosen. bool [B]"""
    return _wanted(batch, config) != _unknown(config)


def right(logits: Tensor, batch: Batch, config: ReaderConfig) -> Tensor:
    """Which questions the trained softmax answers correctly. bool [B]

    Over the vocabulary, the most probable of all words and markers must be the answer: a word, or
    a marker that is not in the document, counts as wrong.
    """
    return logits.argmax(1) == _wanted(batch, config)


def _unknown(config: ReaderConfig) -> int:
    return PADDING if config.output == "vocabulary" else -1


def _wanted(batch: Batch, config: ReaderConfig) -> Tensor:
    return batch.answers if config.output == "vocabulary" else batch.answer_positions
