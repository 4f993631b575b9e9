"""The layer whose threads multiply for themselves: as exact as the equations, however it is cut."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cloze.recurrence import PeepholeLSTM, peephole_lstm_of_inputs, shares
from tests.recurrence.cases import distance


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def inputs(T: int, B: int, D: int, size: int, H: int, seed: int) -> list[Tensor]:
    """x, W_x, bias, W_h and the peepholes, in float64 with values that float32 holds."""
    random = torch.Generator().manual_seed(seed)
    shapes = ((T, B, size), (D * 4 * H, size), (D * 4 * H,), (D, 4 * H, H), (D, 3, H))
    scales = (1.0, size**-0.5, 1.0, H**-0.5, 0.5)
    drawn = zip(shapes, scales, strict=True)
    return [(torch.randn(s, generator=random) * scale).double() for s, scale in drawn]


def solve(tensors: list[Tensor], lengths: Tensor, way: str, dtype: torch.dtype) -> list[Tensor]:
    """h and the gradients of all inputs, for a fixed gradient of h."""
    own = [t.to(dtype).requires_grad_() for t in tensors]
    h = peephole_lstm_of_inputs(*own, lengths, implementation=way)
    grad = torch.randn(h.shape, generator=torch.Generator().manual_seed(1))
    return [h.detach(), *torch.autograd.grad(h, own, grad.to(dtype))]


@settings(deadline=None, max_examples=25)
@given(
    T=st.integers(1, 9),
    B=st.sampled_from([1, 2, 3, 5, 8, 13, 70]),
    D=st.integers(1, 2),
    size=st.sampled_from([1, 7, 20, 64, 100]),
    H=st.sampled_from([1, 5, 16, 33, 64, 80]),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_agrees_with_the_reference(
    T: int, B: int, D: int, size: int, H: int, seed: int, dtype: torch.dtype
) -> None:
    tensors = inputs(T, B, D, size, H, seed)
    lengths = torch.randint(1, T + 1, (B,), generator=torch.Generator().manual_seed(seed))
    found = solve(tensors, lengths, "cpu", dtype)
    exact = solve(tensors, lengths, "reference", torch.float64)
    for a, b in zip(found, exact, strict=True):
        assert distance(a, b) < (1e-5 if dtype == torch.float32 else 1e-12)


def test_many_rows_of_many_lengths() -> None:
    tensors = inputs(40, 150, 2, 24, 32, 3)
    lengths = torch.randint(1, 41, (150,), generator=torch.Generator().manual_seed(3))
    found = solve(tensors, lengths, "cpu", torch.float32)
    exact = solve(tensors, lengths, "reference", torch.float64)
    assert all(distance(a, b) < 1e-5 for a, b in zip(found, exact, strict=True))


@pytest.mark.parametrize("D", [1, 2])
def test_threads_change_nothing(threads: None, D: int) -> None:
    tensors, lengths = inputs(11, 18, D, 20, 64, 0), torch.arange(18) % 11 + 1
    answers = []
    for count in (1, 2, 3, 40):  # the last are more than there are rows for
        torch.set_num_threads(count)
        answers.append(solve(tensors, lengths, "cpu", torch.float32))
    for other in answers[1:]:
        assert torch.equal(other[0], answers[0][0])
        assert all(distance(a, b) < 1e-6 for a, b in zip(other, answers[0], strict=True))


@pytest.mark.parametrize("D", [1, 2])
@pytest.mark.parametrize("H", [50, 128])
def test_a_sequence_alone_is_the_same_to_the_bit(D: int, H: int) -> None:
    layer = PeepholeLSTM(30, H, bidirectional=D == 2)
    x, lengths = torch.randn(23, 37, 30), torch.arange(37) % 23 + 1
    together = layer(x, lengths)
    for b in (0, 5, 36):
        assert torch.equal(layer(x[:, b : b + 1], lengths[b : b + 1]), together[:, b : b + 1])


def test_inference_is_training_to_the_bit() -> None:
    layer, x, lengths = PeepholeLSTM(30, 40), torch.randn(9, 6, 30), torch.arange(6) + 4
    with torch.no_grad():
        alone = layer(x, lengths)
    assert torch.equal(alone, layer(x, lengths))


def test_padding_has_no_part_and_no_gradient() -> None:
    layer, lengths = PeepholeLSTM(12, 16), torch.tensor([5, 2, 1, 4, 5, 3])
    x = torch.randn(5, 6, 12)
    x[torch.arange(5)[:, None] >= lengths] = torch.nan
    x.requires_grad_()
    layer(x, lengths).sum().backward()
    assert x.grad is not None
    assert (x.grad[torch.arange(5)[:, None] >= lengths] == 0).all()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in layer.parameters())


def test_inputs_that_learn_nothing() -> None:
    layer, x, lengths = PeepholeLSTM(12, 16), torch.randn(5, 6, 12), torch.full((6,), 5)
    layer(x, lengths).sum().backward()
    expected = [p.grad for p in layer.parameters()]
    layer.zero_grad()
    layer(x.requires_grad_(), lengths).sum().backward()
    for p, grad in zip(layer.parameters(), expected, strict=True):
        assert p.grad is not None
        assert grad is not None
        assert torch.equal(p.grad, grad)


def test_how_many_threads_are_busy(threads: None) -> None:
    torch.set_num_threads(4)
    assert [shares.busy(B, 1) for B in (1, 5, 12, 13, 100)] == [0.25, 0.5, 0.75, 1, 1]
    assert [shares.busy(B, 2) for B in (1, 4, 5)] == [0.5, 0.5, 1]
