"""An Encoder Reader with fewer layers and inner units: what is kept, and what that changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import Module

from cloze.errors import UserError
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.encoder import open_encoder
from cloze.readers.fewer_units import Seen, seen_in, some_questions, without_the_least
from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.transformer import Layer
from tests.readers.cases import reader_config
from tests.readers.points import points_of
from tests.readers.test_encoded import corpus_of

POINTS = points_of(3)
SHAPE = {"layers": 3, "hidden_size": 8, "heads": 2, "inner_size": 12, "relative_buckets": 8}


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("layers")
    corpus_of(place / "corpus", POINTS)
    return encode_corpus(place / "corpus", place / "encoded", pool=8)


@pytest.fixture
def reader(encoded: Path) -> Reader:
    """Weights of a size at which every layer and every unit counts."""
    made = Reader(reader_config("encoder", positions=64, **SHAPE), open_encoder(encoded), seed=1)
    draw = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weight in made.network.parameters():
            weight.add_(torch.randn(weight.shape, generator=draw), alpha=0.3)
    return made


def layers_of(reader: Reader) -> list[Layer]:
    return [layer for layer in reader.network.modules() if isinstance(layer, Layer)]


def assert_same_answers(a: Reader, b: Reader) -> None:
    for before, after in zip(a.answer(POINTS), b.answer(POINTS), strict=True):
        for x, y in zip(before, after, strict=True):
            assert x.candidates.tolist() == y.candidates.tolist()
            np.testing.assert_allclose(x.scores, y.scores, rtol=1e-4)


def test_all_layers_and_all_units_are_the_reader_itself(reader: Reader, encoded: Path) -> None:
    same = prune(reader, layers=[0, 1, 2], inner=12, measured_on=encoded)
    assert same is reader


def test_the_layers_that_are_kept_are_read_in_their_order(reader: Reader) -> None:
    """As if the layer between were not there; the pointer reads what comes out of the last."""
    small = prune(reader, layers=[0, 2])
    assert small.config.model_dump() == reader.config.model_dump() | {"layers": 2}
    body = reader.network.body
    whole = body.layers
    body.layers = torch.nn.ModuleList([whole[0], whole[2]])
    assert_same_answers(reader, small)
    body.layers = whole
    assert small.about["layers kept"] == "0, 2 of 3, counted from 0"


def test_a_layer_that_adds_nothing_is_not_missed(reader: Reader) -> None:
    """Its two sums add zero, and its two normalisations leave what is normalised already."""
    first, second, _ = layers_of(reader)
    with torch.no_grad():
        for part in (second.o, second.down):
            part.weight.zero_()
            part.bias.zero_()
        for norm in (first.n2, second.n1, second.n2):
            norm.weight.fill_(1.0)
            norm.bias.zero_()
    assert_same_answers(reader, prune(reader, layers=[0, 2]))


def test_units_that_never_change_are_not_missed(reader: Reader, encoded: Path) -> None:
    """A unit without incoming weights always has the same value, however large: its share in the
    result becomes part of the bias."""
    constant = [1, 4, 5, 11]
    with torch.no_grad():
        for layer in layers_of(reader):
            layer.up.weight[constant] = 0.0
            layer.up.bias[constant] = torch.tensor([3.0, -0.5, 1.0, 2.0])
    small = prune(reader, inner=8, measured_on=encoded)
    assert small.config.inner_size == 8
    for layer, smaller in zip(layers_of(reader), layers_of(small), strict=True):
        others = [k for k in range(12) if k not in constant]
        assert torch.equal(smaller.up.weight, layer.up.weight[others])
        assert not torch.allclose(smaller.down.bias, layer.down.bias)
    assert_same_answers(reader, small)


def test_what_is_seen_of_the_units(reader: Reader, encoded: Path) -> None:
    """Against NumPy over all tokens at once."""
    asked = some_questions(reader, encoded, 3)
    found = seen_in(reader, asked)
    values: list[list[Tensor]] = [[] for _ in layers_of(reader)]

    def hook(number: int) -> Callable[[Module, tuple[Tensor]], None]:
        return lambda _, inputs: values[number].append(inputs[0].detach().flatten(0, -2))

    for number, layer in enumerate(layers_of(reader)):
        layer.down.register_forward_pre_hook(hook(number))
    for batch in asked:
        reader.network.all_states(batch)
    for own, seen in zip(values, found, strict=True):
        a = torch.cat(own).double().numpy()
        assert seen.tokens == len(a) == len(torch.cat(values[0]))
        np.testing.assert_allclose(seen.mean, a.mean(0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(seen.covariance, np.cov(a.T, bias=True), rtol=1e-3, atol=1e-5)


def test_the_units_that_the_others_cannot_stand_in_for_are_kept() -> None:
    """Against trying every unit in turn, with least squares over the others."""
    random = np.random.default_rng(3)
    a = random.normal(size=(400, 9)) @ random.normal(size=(9, 9)) + 3
    down = random.normal(size=(4, 9))
    seen = Seen.nothing(9)
    seen.add(torch.from_numpy(a).float())

    def fitted(units: list[int]) -> tuple[float, np.ndarray]:
        columns = np.concatenate([a[:, units], np.ones((len(a), 1))], 1)
        found, *_ = np.linalg.lstsq(columns, a @ down.T, rcond=None)
        return float(np.square(columns @ found - a @ down.T).sum()), found

    left = list(range(9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cloze.readers.fewer_units.AT_ONCE", 1)
        patch.setattr("cloze.readers.fewer_units.DAMPING", 1e-9)
        while len(left) > 5:
            left.remove(min(left, key=lambda unit: fitted([k for k in left if k != unit])[0]))
            kept, matrix, more = without_the_least(torch.from_numpy(down), seen, len(left))
            assert kept.tolist() == left
            _, expected = fitted(left)
            np.testing.assert_allclose(matrix, expected[:-1].T, rtol=1e-3, atol=1e-3)
            np.testing.assert_allclose(more, expected[-1], rtol=1e-2, atol=1e-2)


def test_a_pruned_reader_is_saved_and_loaded(reader: Reader, encoded: Path, tmp_path: Path) -> None:
    small = prune(reader, layers=[1, 2], inner=5, measured_on=encoded, questions=2)
    assert small.about["inner units kept"] == "5 of 12 in each layer, measured on 2 questions"
    small.save_pretrained(tmp_path / "small")
    assert_same_answers(small, Reader.from_pretrained(tmp_path / "small", exact=True))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"layers": [0, 3]}, "'0,3' cannot be kept of 3; choose from 0 to 2"),
        ({"layers": []}, "cannot be kept of 3"),
        ({"layers": [0, 0, 2]}, r"'0,0,2' are not in their order"),
        ({"layers": [2, 0]}, "not in their order"),
        ({"inner": 13, "measured_on": Path()}, "have 12 inner units, not 13"),
        ({"inner": 4}, "--measured-on ENCODED"),
        ({"inner": 4, "measured_on": Path(__file__).parent}, "is not an encoded corpus"),
    ],
)
def test_mistakes_are_one_line(reader: Reader, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        prune(reader, **wanted)


def test_other_readers_have_no_such_layers(encoded: Path) -> None:
    other = Reader(reader_config("attentive", hidden_size=4), open_encoder(encoded))
    with pytest.raises(UserError, match=r"not this Attentive Reader; leave out --layers"):
        prune(other, layers=[0])
    with pytest.raises(UserError, match=r"leave out --inner"):
        prune(other, inner=3, measured_on=encoded)
