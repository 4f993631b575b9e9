"""Answers with products in 8 bits: what they are, when they are used, and what stays as it was."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from typer.testing import CliRunner

from cloze import doctor, eight_bits, finding
from cloze.ask import running
from cloze.ask.reading_process import ReadingProcess
from cloze.ask.reading_work import Loading
from cloze.cli.main import app
from cloze.errors import UserError
from cloze.evaluation import answer_parts
from cloze.finding import find, find_all
from cloze.readers import eight_bits as products
from cloze.readers import quick_layer
from cloze.readers.eight_bits import EightBitProduct, rounded
from cloze.readers.kinds import encoder
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.network import Network
from cloze.readers.quick_layer import QuickLayer, attention, padded
from cloze.readers.reader import Reader
from cloze.readers.transformer import Layer
from cloze.readers.vocabulary import Vocabulary
from tests.readers.cases import batch_of, example, network_of, reader_config

needed = pytest.mark.skipif(
    products.why_not() is not None, reason=f"no products in 8 bits: {products.why_not()}"
)
WAYS = [{}, {"relative_buckets": 32}, {"texts": "apart"}]


def random_matrix(rows: int, columns: int, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def oracle(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The equations of the module, with whole numbers and 64 bits."""

    def scaled(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scale = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12).astype(np.float32) / 127
        return np.round(rows / scale).astype(np.int64), scale.astype(np.float64)

    (numbers, scale), (weights, scales) = scaled(x), scaled(weight)
    return scale * (numbers @ weights.T) * scales.T + bias


@needed
@pytest.mark.parametrize(
    ("rows", "size", "out"), [(1, 4, 6), (5, 7, 3), (40, 64, 48), (3, 1536, 9)]
)
def test_against_the_equations(rows: int, size: int, out: int) -> None:
    x, weight, bias = random_matrix(rows, size), random_matrix(out, size, 1), torch.randn(out)
    x[-1] *= 1000  # a row has no say in another's scale
    found = EightBitProduct(weight, bias)(rounded(x)).numpy()
    expected = oracle(x.numpy(), weight.numpy(), bias.numpy())
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@needed
def test_zeros_and_no_rows() -> None:
    bias = torch.randn(3)
    nothing = EightBitProduct(torch.zeros(3, 8), bias)
    assert torch.equal(nothing(rounded(random_matrix(2, 8))), bias.expand(2, -1))
    product = EightBitProduct(random_matrix(3, 8), bias)
    assert torch.equal(product(rounded(torch.zeros(2, 8))), bias.expand(2, -1))


@needed
@settings(max_examples=20)
@given(rows=st.integers(2, 70), seed=st.integers(0, 9))
def test_a_row_is_the_same_alone_to_the_last_bit(rows: int, seed: int) -> None:
    x, product = (
        random_matrix(rows, 48, seed),
        EightBitProduct(random_matrix(20, 48), torch.ones(20)),
    )
    together = product(rounded(x))
    for row in (0, rows // 2, rows - 1):
        assert torch.equal(together[row, None], product(rounded(x[row, None])))
    assert torch.equal(together.flip(0), product(rounded(x).backwards(rows)))
    some = product(rounded(x).backwards(2))
    assert torch.equal(some, torch.cat([together[:2].flip(0), together[2:]]))


def test_a_matrix_that_is_stored_in_8_bits_loses_nothing() -> None:
    numbers, scale = eight_bits.rounded(random_matrix(6, 30).numpy())
    again = rounded(torch.from_numpy(eight_bits.restored(numbers, scale)))
    np.testing.assert_array_equal(again.numbers.numpy().astype(int) - 128, numbers)
    np.testing.assert_array_equal(again.scales.numpy()[:, 0], scale)


@pytest.mark.parametrize("sixteen", [False, True])
@pytest.mark.parametrize("together", [1, 200, 10**9])
def test_attention_some_heads_at_a_time(
    sixteen: bool, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_layer, "fast_in_sixteen_bits", lambda: sixteen)
    monkeypatch.setattr(quick_layer, "_TOGETHER", together)
    random = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(5, n, 8, generator=random) for n in (8, 13, 13))
    bias = torch.randn(5, 6, 11, generator=random)
    tolerance = {"rtol": 0.02, "atol": 0.05} if sixteen else {"rtol": 1e-4, "atol": 1e-5}
    for added in (None, bias, bias[:1, :1]):
        scores = q[:, :6] @ k[:, :11].transpose(1, 2) + (0 if added is None else added)
        expected = (scores.softmax(2) @ v[:, :11]).transpose(0, 1).flatten(1)
        found = attention(q, k, v, 11, added)
        assert found.shape == (8, 40)
        torch.testing.assert_close(found[:6], expected, **tolerance)


def layer() -> Layer:
    made = Layer(size=32, heads=4, inner=48, epsilon=1e-5, rate=0.1)
    random = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in made.parameters():
            weight.normal_(0, 0.3, generator=random)
    return made


@needed
@torch.no_grad()
def test_a_layer_is_nearly_what_it_was() -> None:
    plain, x = layer(), random_matrix(9, 32)
    quick = QuickLayer(dict(plain.named_parameters()), plain.heads, plain.n1.eps)
    bias = random_matrix(9, 9, 4).expand(4, -1, -1)
    expected = plain(x[None], bias[None])[0]
    found = quick(padded(x), 9, bias)[:9]
    assert (found - expected).norm() < 0.03 * expected.norm()
    backwards = quick(padded(x), 9, bias.flip(2), backwards=True)[:9]
    assert (backwards - found).norm() < 0.01 * expected.norm()
    torch.testing.assert_close(quick.each(x[None], bias[None])[0], found)
    places = torch.tensor([3, 0, 3])
    some, looked = quick.only_at(places, padded(x), 9, bias.flip(2))
    assert (some - found[places]).norm() < 0.01 * expected.norm()
    _, exactly = plain.only_at(places[None], x[None], bias[None])
    torch.testing.assert_close(looked, exactly[0], rtol=0.1, atol=0.02)


def quick_network(**ways: object) -> Network:
    config = reader_config("encoder", hidden_size=16, heads=2, **ways)
    network = network_of(config, dtype=torch.float32)
    assert network.answer_in_fewer_bits()
    return network


@torch.inference_mode()
def run(network: Network, *inputs: object, **options: object) -> tuple[np.ndarray, np.ndarray]:
    logits, looked = network(batch_of(*inputs, **options))  # type: ignore[arg-type]
    return logits.numpy(), looked.numpy()


def same(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@needed
@pytest.mark.parametrize("ways", WAYS)
@settings(max_examples=8, deadline=None)
@given(
    lengths=st.lists(st.tuples(st.integers(1, 30), st.integers(1, 9)), min_size=2, max_size=6),
    more=st.integers(1, 20),
)
def test_neither_company_nor_padding_is_seen(
    ways: dict[str, object], lengths: list[tuple[int, int]], more: int
) -> None:
    network, random = quick_network(**ways), np.random.default_rng(len(lengths))
    examples = [example(random, *length) for length in lengths]
    logits, looked = run(network, examples)
    padded, looked_padded = run(network, examples, more=more, garbage=7)
    same(logits, padded[:, : logits.shape[1]])
    same(looked, looked_padded[:, :-more])
    assert not looked_padded[:, -more:].any()
    for b, e in enumerate(examples):
        alone, looked_alone = run(network, [e])
        same(alone[0], logits[b, : alone.shape[1]])
        same(looked_alone[0], looked[b, : len(e.document)])


@needed
@pytest.mark.parametrize("ways", WAYS)
def test_a_text_in_several_windows(ways: dict[str, object]) -> None:
    network = quick_network(positions=32, **ways)
    examples = [example(np.random.default_rng(1), *length) for length in ((90, 4), (12, 3))]
    logits, looked = run(network, examples)
    same(run(network, examples[1:])[0][0], logits[1, : len(examples[1].candidates)])
    np.testing.assert_allclose(looked.sum(1), 1.0, rtol=1e-4)


@needed
def test_weights_that_change_are_noticed_and_training_stays_exact() -> None:
    network, examples = quick_network(), [example(np.random.default_rng(2), 20, 5)]
    assert isinstance(network, EncoderReader)
    plain = network_of(network.config, dtype=torch.float32)
    first = run(network, examples)[0]
    assert not np.array_equal(first, run(plain, examples)[0])  # the rounding can be seen
    assert torch.equal(network(batch_of(examples))[0], plain(batch_of(examples))[0])  # gradients
    with torch.no_grad():
        network.body.layers[0].up.weight.mul_(-1)
    changed = run(network, examples)[0]
    assert np.abs(changed - first).max() > 10 * np.abs(first - run(plain, examples)[0]).max()
    assert torch.isfinite(F.softmax(torch.from_numpy(changed), 1)).all()


def test_64_bits_stay_64_bits() -> None:
    config = reader_config("encoder", hidden_size=16, heads=2)
    one, other = network_of(config), network_of(config)
    other.answer_in_fewer_bits()
    examples = [example(np.random.default_rng(2), 20, 5)]
    np.testing.assert_array_equal(run(one, examples)[0], run(other, examples)[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = reader_config("encoder", hidden_size=16, heads=2)
    place = tmp_path_factory.mktemp("reader") / "model"
    Reader(config, Vocabulary({"word": 1}, 8)).save_pretrained(place, bits=8)
    return place


def said(reader: object) -> str:
    assert isinstance(reader, Reader)
    assert reader.settings["products"] == reader.products
    return reader.products.partition(",")[0]


@needed
def test_it_is_the_default_and_can_be_declined(folder: Path) -> None:
    assert said(find(folder, device="cpu")) == "int8"
    assert said(find(folder, device="cpu", exact=True)) == "float32"
    assert [said(one) for one in find_all([folder], device="cpu", exact=True).values()] == [
        "float32"
    ]
    assert said(Reader.from_pretrained(folder)) == "int8"
    assert said(find("attentive", device="cpu")) == "float32"


def test_where_it_would_not_be_faster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "why_not", lambda: "it is too old")
    monkeypatch.setattr(products, "why_not", lambda: "it is too old")
    assert said(Reader.from_pretrained(folder)) == "float32"
    assert doctor.products() == "float32; not int8: it is too old"


@needed
def test_what_the_doctor_says() -> None:
    assert doctor.products().startswith("int8, attention in ")
    assert doctor.products().endswith("; float32 with --exact")


def test_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> str | None:
        products.why_never.cache_clear()
        products.why_not.cache_clear()
        return products.why_not()

    try:
        monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False, raising=False)
        assert "VNNI" in str(asked()) or products.why_never() is not None
        monkeypatch.delattr(torch.cpu, "_is_vnni_supported")
        assert asked() is not None
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
        assert asked() == "this PyTorch comes without oneDNN"
        with pytest.raises(UserError, match="without oneDNN"):
            EightBitProduct(torch.ones(2, 2), torch.ones(2))
    finally:
        monkeypatch.undo()
        asked()


COMMANDS = {
    "ask": ["ask", "small", "--article", "-", "--question", "X ran aground"],
    "ask --batch": ["ask", "small", "--batch", "questions.jsonl", "--out", "answers.jsonl"],
    "serve": ["serve", "small", "--port", "0"],
    "evaluate": ["evaluate", "small", "corpus"],
    "evaluate --wrong-article": ["evaluate", "small", "corpus", "--wrong-article"],
    "evaluate --workers": ["evaluate", "small", "corpus", "--workers", "2"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("exact", [False, True])
def test_every_command_that_answers_passes_it_on(
    command: str, exact: bool, make_corpus: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each stops where it would load the reader, and says how."""

    def loading(*_: object, exact: bool = False, **__: object) -> None:
        raise UserError(f"exact is {exact}")

    def process(_: object, order: Loading) -> None:
        raise UserError(f"exact is {order.exact}")

    monkeypatch.chdir(make_corpus().parent)
    Path("questions.jsonl").write_text('{"article": "A", "questions": ["X ran"]}\n')
    monkeypatch.setattr(finding, "find", loading)
    monkeypatch.setattr(finding, "find_all", loading)
    monkeypatch.setattr(answer_parts, "find", loading)
    monkeypatch.setattr(running, "bind", lambda *_: None)
    monkeypatch.setattr(ReadingProcess, "__init__", process)
    words = COMMANDS[command] + ["--exact"] * exact
    done = CliRunner().invoke(app, words, input="Solveig ran aground near Bergen.")
    assert f"exact is {exact}" in str(done.exception or done.output)
