"""What every reader must do on every recurrence, whatever it is batched with."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig, RecurrentConfig
from cloze.readers.network import Network, loss, right
from cloze.readers.two_texts import TwoTexts
from tests.readers.cases import (
    IMPLEMENTATIONS,
    KINDS,
    POOL,
    SIZE,
    Example,
    batch_of,
    example,
    network_of,
    outputs,
    over_tokens,
    reader_config,
)

pytestmark = [
    pytest.mark.parametrize("kind", KINDS),
    pytest.mark.parametrize("implementation", IMPLEMENTATIONS),
]
LENGTHS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 9)), min_size=2, max_size=6)


def config_with(kind: str, output: str) -> ReaderConfig:
    """Over the vocabulary or the candidates, if the kind has both."""
    return reader_config(kind, output=output if output in outputs(kind) else outputs(kind)[0])


def made(kind: str, implementation: str, output: str = "vocabulary") -> Network:
    config = config_with(kind, output)
    small = {"hidden_size": 4} if "hidden_size" in type(config).model_fields else {}
    dtype = torch.float64 if implementation == "reference" else torch.float32
    config = config.model_copy(update=small)
    return network_of(config, implementation=implementation, dtype=dtype)


def device_of(network: Network) -> torch.device:
    return next(network.parameters()).device


def run(network: Network, batch: Batch) -> tuple[np.ndarray, np.ndarray | None]:
    with torch.inference_mode():
        logits, attention = network(batch.to(device_of(network)))
    return logits.cpu().numpy(), None if attention is None else attention.cpu().numpy()


def same(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5 if a.dtype == np.float32 else 1e-10)


def examples_of(lengths: list[tuple[int, int]]) -> list[Example]:
    random = np.random.default_rng([*lengths[0], len(lengths)])
    return [example(random, d, q) for d, q in lengths]


@settings(max_examples=8)
@given(lengths=LENGTHS, output=st.sampled_from(["vocabulary", "candidates"]))
def test_an_answer_does_not_depend_on_the_rest_of_the_batch(
    kind: str, implementation: str, output: str, lengths: list[tuple[int, int]]
) -> None:
    network, examples = made(kind, implementation, output), examples_of(lengths)
    many, looked = run(network, batch_of(examples))
    for b, e in enumerate(examples):
        one, looked_alone = run(network, batch_of([e]))
        same(one[0], many[b, : one.shape[1]])
        assert np.isneginf(many[b, one.shape[1] :]).all()
        if looked is not None and looked_alone is not None:
            own = looked[b][..., : len(e.document)]
            same(looked_alone[0], own if own.ndim == 1 else own[: len(e.query)])
            assert not looked[b][..., len(e.document) :].any()


@settings(max_examples=8)
@given(lengths=LENGTHS, more=st.integers(1, 20), garbage=st.integers(0, SIZE - 1))
def test_padding_is_never_seen(
    kind: str, implementation: str, lengths: list[tuple[int, int]], more: int, garbage: int
) -> None:
    network, examples = made(kind, implementation), examples_of(lengths)
    plain, looked = run(network, batch_of(examples))
    padded, looked_padded = run(network, batch_of(examples, more=more, garbage=garbage))
    same(plain, padded[:, : plain.shape[1]])
    assert np.isneginf(padded[:, plain.shape[1] :]).all()
    if looked is not None and looked_padded is not None:
        if looked.ndim == 3:
            assert not looked_padded[:, -more:].any()
            looked_padded = looked_padded[:, :-more]
        assert not looked_padded[..., -more:].any()
        same(looked, looked_padded[..., :-more])


@settings(max_examples=8)
@given(lengths=LENGTHS, order=st.permutations(range(POOL)))
def test_renaming_markers_renames_the_answer(
    kind: str, implementation: str, lengths: list[tuple[int, int]], order: list[int]
) -> None:
    """Embeddings and outputs with their rows permuted: the same network under other names."""
    network, examples = made(kind, implementation), examples_of(lengths)
    config = config_with(kind, "vocabulary")
    new_name = np.arange(SIZE)
    new_name[4 : 4 + POOL] = 4 + np.asarray(order)
    batch = batch_of(examples)
    logits, looked = run(network, batch)
    logits = over_tokens(logits, batch, config)
    with torch.no_grad():
        for weight in network.read_rows() + network.answer_rows():
            renamed = weight.clone()
            renamed[new_name] = weight.clone()
            weight.copy_(renamed)
    renamed_examples = [
        Example(new_name[e.document].tolist(), new_name[e.query].tolist(), int(new_name[e.answer]))
        for e in examples
    ]
    batch = batch_of(renamed_examples)
    logits_renamed, looked_renamed = run(network, batch)
    logits_renamed = over_tokens(logits_renamed, batch, config)
    same(logits, logits_renamed[:, new_name])
    assert (new_name[logits.argmax(1)] == logits_renamed.argmax(1)).all()
    if looked is not None and looked_renamed is not None:
        same(looked, looked_renamed)


@pytest.mark.parametrize("lengths", [(1, 1), (2000, 1), (1, 40), (2000, 3)])
def test_shortest_and_longest(kind: str, implementation: str, lengths: tuple[int, int]) -> None:
    network = made(kind, implementation)
    random = np.random.default_rng(5)
    examples = [example(random, *lengths), example(random, 2, 2)]
    batch = batch_of(examples)
    logits, attention = run(network, batch)
    logits = over_tokens(logits, batch, config_with(kind, "vocabulary"))
    for e, own in zip(examples, logits, strict=True):
        assert np.isfinite(own[e.candidates]).all()
        assert np.isneginf(own[0])
    if attention is not None:
        sums = attention[0].sum(-1)
        np.testing.assert_allclose(
            sums if attention.ndim == 2 else sums[: lengths[1]], 1.0, rtol=1e-5
        )


def test_empty_texts_are_refused(kind: str, implementation: str) -> None:
    network = made(kind, implementation)
    if implementation == "cuda":
        pytest.skip("on a GPU lengths are not looked at; texts are checked when encoded")
    batch = batch_of([Example([4, 5], [2], 4), Example([], [2], 4)])
    if isinstance(network, TwoTexts):  # others see one sequence with the query
        with pytest.raises(ValueError, match="length"):
            network(batch)


@settings(max_examples=5)
@given(lengths=LENGTHS, output=st.sampled_from(["vocabulary", "candidates"]))
def test_gradient_of_a_batch_is_the_mean_of_its_examples(
    kind: str, implementation: str, output: str, lengths: list[tuple[int, int]]
) -> None:
    network, examples = made(kind, implementation, output), examples_of(lengths)
    config = config_with(kind, output)
    if implementation == "cpu" and not isinstance(config, RecurrentConfig):
        network = network.double()  # no kernel needs 32 bits, whose rounding hides small gradients

    def gradients(batch: Batch) -> list[Tensor]:
        batch = batch.to(device_of(network))
        network.zero_grad()
        loss(network(batch)[0], batch, config).backward()
        return [torch.zeros_like(p) if p.grad is None else p.grad for p in network.parameters()]

    together = gradients(batch_of(examples, more=3, garbage=7))
    alone = [[g.clone() for g in gradients(batch_of([e]))] for e in examples]
    # Rounding errors are relative to the largest gradients, even if one is zero in theory, like
    # that of the keys' biases in a transformer.
    largest = max(g.abs().max().item() for g in together)
    for k, whole in enumerate(together):
        mean = torch.stack([own[k] for own in alone]).mean(0)
        scale = max(mean.abs().max().item(), 1e-2 * largest)
        tolerance = 1e-9 if whole.dtype == torch.float64 else 1e-4
        torch.testing.assert_close(whole, mean, rtol=tolerance, atol=tolerance * max(scale, 1e-3))


def test_three_questions_are_learnt_by_heart(kind: str, implementation: str) -> None:
    network, config = made(kind, implementation), config_with(kind, "vocabulary")
    batch = batch_of(examples_of([(9, 3), (14, 5), (3, 2)])).to(device_of(network))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    losses = []
    for _ in range(150):
        logits, _ = network(batch)
        value = loss(logits, batch, config)
        losses.append(value.item())
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
    assert losses[-1] < 0.3 * losses[0]
    assert right(network(batch)[0], batch, config).all()
