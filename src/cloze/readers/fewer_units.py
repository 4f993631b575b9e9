"""Keep only the inner units of an Encoder Reader's layers that its answers depend on.

A layer's inner units are what stands between its two products, a = gelu(up x). How much a unit
matters is measured on questions with known answers: by about how much the loss L = -log p(answer)
would change if the unit always had its mean value,

    the sum over all tokens t of |(a(t) - mean a) dL/da(t)|

Units that are left out are replaced by their means, which become part of the bias of `down`.
"""

import copy
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.progress import track
from cloze.randomness import generator
from cloze.readers.batch import Batch
from cloze.readers.fewer_layers import own_transformer
from cloze.readers.network import Network, loss
from cloze.readers.parts import is_split, open_split
from cloze.readers.reader import Reader
from cloze.readers.registry import blank, kind_of
from cloze.readers.transformer import Layer

QUESTIONS = 40  # enough to tell the units apart
FIRST_CHOICE = "train"  # the split that the questions are taken from, if it is there


def with_fewer_units(
    reader: Reader, inner: int, encoded: Path, questions: int = QUESTIONS
) -> Reader:
    """The same reader with the `inner` units of each layer that matter most for some questions
    of a corpus that was encoded with this reader's word pieces."""
    config = own_transformer(reader, "--inner")
    there = config.inner_size or 4 * config.hidden_size
    if inner > there:
        raise UserError(f"its layers have {there:,} inner units, not {inner:,}")
    if inner == there:
        return reader
    asked = some_questions(reader, encoded, questions)
    means, worth = measured(reader, asked)
    smaller = config.model_copy(update={"inner_size": inner})
    network = blank(smaller, len(reader.vocabulary))
    _copy(reader.network, network, means, most_worth(worth, inner))
    network.to(reader.device)
    told = f"{inner:,} of {there:,} in each layer, measured on {len(asked):,} questions"
    about = reader.about | {"inner units kept": told}
    return Reader(smaller, reader.vocabulary, network, about=about, notice=reader.notice)


def some_questions(reader: Reader, encoded: Path, most: int) -> list[Batch]:
    """Batches of one question each, whose articles name the answer. They are drawn from the
    shorter half of the articles: long ones take more memory and say little more."""
    splits = sorted(place for place in encoded.glob("*/") if is_split(place))
    if not splits:
        raise UserError("is not an encoded corpus", where=encoded, fix="make it with cloze encode")
    wanted = [place for place in splits if place.name == FIRST_CHOICE]
    split = open_split((wanted or splits)[0], reader.vocabulary)
    by_length = np.argsort(split.document_lengths, kind="stable")
    short = by_length[: (len(split) + 1) // 2]
    collate, pool = kind_of(reader.config.kind).collate, reader.config.pool(reader.vocabulary.pool)
    found = []
    for question in generator(0).permutation(short):
        batch = collate(split, np.array([question]), seed=0, epoch=0, pool=pool)
        if bool((batch.answer_positions >= 0).all()):
            found.append(batch)
        if len(found) == most:
            return found
    if not found:
        raise UserError("has no question whose answer is known", where=encoded)
    return found


def measured(reader: Reader, asked: list[Batch]) -> tuple[list[Tensor], list[Tensor]]:
    """The mean of each layer's inner units over all tokens, and how much each unit matters."""
    network = copy.deepcopy(reader.network).cpu()  # where no layer is compiled, so all can be seen
    layers = _layers(network)
    sums = [torch.zeros(layer.up.out_features, dtype=torch.float64) for layer in layers]
    worth, tokens = [torch.zeros_like(total) for total in sums], 0
    with _inner_units(layers) as seen:
        for batch in track(asked, "means of the units", total=len(asked), unit="questions"):
            network(batch)
            tokens += seen[0].shape[:-1].numel()
            for total, a in zip(sums, seen, strict=True):
                total += a.detach().flatten(0, -2).double().sum(0)
        means = [(total / tokens).float() for total in sums]
        for batch in track(asked, "what units matter", total=len(asked), unit="questions"):
            value = loss(network(batch)[0], batch, reader.config)
            slopes = torch.autograd.grad(value, seen)
            for total, mean, a, slope in zip(worth, means, seen, slopes, strict=True):
                total += ((a.detach() - mean) * slope).abs().flatten(0, -2).sum(0)
    return means, worth


def _layers(network: Network) -> list[Layer]:
    return [layer for layer in network.modules() if isinstance(layer, Layer)]


@contextmanager
def _inner_units(layers: list[Layer]) -> Iterator[list[Tensor]]:
    """A list that always has each layer's inner units of the last forward pass."""
    seen = [torch.empty(0)] * len(layers)

    def look(number: int, layer: Layer) -> torch.utils.hooks.RemovableHandle:
        def note(_: nn.Module, inputs: tuple[Tensor]) -> None:
            seen[number] = inputs[0]

        return layer.down.register_forward_pre_hook(note)

    with ExitStack() as stack:
        for number, layer in enumerate(layers):
            stack.callback(look(number, layer).remove)
        yield seen


def most_worth(worth: list[Tensor], inner: int) -> list[Tensor]:
    """The units of each layer that matter most, in their old order."""
    ranked = (own.argsort(descending=True, stable=True) for own in worth)
    return [order[:inner].sort().values for order in ranked]


@torch.no_grad()
def _copy(old: Network, new: Network, means: list[Tensor], kept: list[Tensor]) -> None:
    """The weights of the units that are kept, and all others as they are."""
    before = dict(old.named_parameters())
    for name, weight in new.named_parameters():
        if name.split(".")[-2] not in ("up", "down"):
            weight.copy_(before[name])
    for layer, smaller, mean, own in zip(_layers(old), _layers(new), means, kept, strict=True):
        gone = torch.ones(len(mean), dtype=torch.bool)
        gone[own] = False
        smaller.up.weight.copy_(layer.up.weight[own])
        smaller.up.bias.copy_(layer.up.bias[own])
        smaller.down.weight.copy_(layer.down.weight[:, own])
        lost = layer.down.weight[:, gone].cpu() @ mean[gone]
        smaller.down.bias.copy_(layer.down.bias.cpu() + lost)
