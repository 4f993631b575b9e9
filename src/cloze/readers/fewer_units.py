"""Keep only the inner units of an Encoder Reader's layers that the others cannot stand in for.

A layer's inner units are what stands between its two products, a = gelu(up x). They are seen over
the tokens of some articles. If a unit is left out and the matrix D of `down` is changed so that the
others make up for it as well as they can, the layer's output is off by, in the mean of its square,

    |D_i|² / (C⁻¹)_ii,    D ← D - D_i (C⁻¹)_i / (C⁻¹)_ii

where D_i is the unit's column and C the covariance of all units that are left (Hassibi and Stork's
surgery, for a whole layer's output). Units are left out, a few at a time, where that is least. What
they had in the mean becomes part of the bias of `down`. No answers are needed, so that an encoder
can be made smaller before it has learnt to read.
"""

import copy
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.progress import track
from cloze.randomness import generator
from cloze.readers.batch import Batch
from cloze.readers.fewer_layers import own_transformer
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.network import Network
from cloze.readers.parts import is_split, open_split
from cloze.readers.reader import Reader
from cloze.readers.registry import blank, kind_of
from cloze.readers.transformer import Layer

QUESTIONS = 40  # enough to tell the units apart
DAMPING = 0.01  # of a unit's variance
LEAST = 1e-6
AT_ONCE = 32  # units that are left out before the others are compared again
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
    smaller = config.model_copy(update={"inner_size": inner})
    network = blank(smaller, len(reader.vocabulary))
    _copy(reader.network, network, seen_in(reader, asked))
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


@dataclass
class Seen:
    """What was seen of a layer's inner units, summed over tokens."""

    tokens: int
    sums: Tensor  # [units]
    products: Tensor  # of any two of them, [units, units]

    @classmethod
    def nothing(cls, units: int) -> "Seen":
        return cls(0, torch.zeros(units).double(), torch.zeros(units, units).double())

    def add(self, a: Tensor) -> None:
        """a: [tokens, units]"""
        self.tokens += len(a)
        self.sums += a.double().sum(0)
        self.products += a.T @ a  # in 32 bits for one text, in 64 over all

    @property
    def mean(self) -> Tensor:
        return self.sums / self.tokens

    @property
    def covariance(self) -> Tensor:
        return self.products / self.tokens - torch.outer(self.mean, self.mean)


def seen_in(reader: Reader, asked: list[Batch]) -> list[Seen]:
    """The inner units of each layer, over all tokens of these questions and their articles."""
    network = copy.deepcopy(reader.network).cpu()  # where no layer is compiled, so all can be seen
    assert isinstance(network, EncoderReader)
    layers = _layers(network)
    found = [Seen.nothing(layer.up.out_features) for layer in layers]
    with _inner_units(layers) as seen, torch.no_grad():
        for batch in track(asked, "what units do", total=len(asked), unit="questions"):
            network.all_states(batch)
            for own, a in zip(found, seen, strict=True):
                own.add(a.flatten(0, -2))
    return found


def without_the_least(down: Tensor, seen: Seen, inner: int) -> tuple[Tensor, Tensor, Tensor]:
    """Which `inner` units stay, in their order, and the matrix and the bias of `down` for them; the
    bias is what must be added to the old one. down: [size, units]"""
    covariance, before = seen.covariance, down.double().cpu()
    # A little of its own is added to each variance, so that there is an inverse.
    own = covariance.diagonal().clamp(min=0)
    spread = DAMPING * (own + LEAST * own.mean().clamp(min=LEAST))
    inverse = torch.linalg.inv(covariance + spread.diag())
    left, matrix = torch.arange(len(inverse)), before
    while len(left) > inner:
        loss = matrix.square().sum(0) / inverse.diagonal()
        order = loss.argsort(stable=True)
        few = min(AT_ONCE, len(left) - inner)
        gone, stay = order[:few].sort().values, order[few:].sort().values
        known = torch.linalg.solve(inverse[gone][:, gone], inverse[gone][:, stay])
        matrix = matrix[:, stay] - matrix[:, gone] @ known
        inverse = inverse[stay][:, stay] - inverse[stay][:, gone] @ known
        left = left[stay]
    return left, matrix.float(), (before @ seen.mean - matrix @ seen.mean[left]).float()


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


@torch.no_grad()
def _copy(old: Network, new: Network, seen: list[Seen]) -> None:
    """The weights of the units that are kept, and all others as they are."""
    before = dict(old.named_parameters())
    for name, weight in new.named_parameters():
        if name.split(".")[-2] not in ("up", "down"):
            weight.copy_(before[name])
    pairs = zip(_layers(old), _layers(new), seen, strict=True)
    for layer, smaller, own in track(pairs, "which units to keep", total=len(seen), unit="layers"):
        kept, matrix, more = without_the_least(layer.down.weight, own, len(smaller.up.bias))
        smaller.up.weight.copy_(layer.up.weight[kept])
        smaller.up.bias.copy_(layer.up.bias[kept])
        smaller.down.weight.copy_(matrix)
        smaller.down.bias.copy_(layer.down.bias.cpu() + more)
