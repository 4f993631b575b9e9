"""Texts of nearly the same length, side by side in one row, are read as padded texts are."""

import pytest
import torch
from torch import Tensor

from cloze.readers.even import Even, fits, runs_on
from cloze.readers.states import States
from cloze.readers.transformer import at_places
from tests.readers.test_packed import absent_of, transformer

LENGTHS = [100, 97, 128, 70]
PLACES = torch.tensor([[0, 99, 3], [7, 96, 0], [127, 64, 63], [5, 69, 69]])


def test_laying_and_padding_again_changes_nothing() -> None:
    absent = absent_of(LENGTHS, 130)
    x = torch.randn(len(LENGTHS), 130, 3).masked_fill(absent[..., None], 0.0)
    laid = Even(absent, least=256)
    row = laid.packed(x)
    assert len(row) == 1024  # 4 texts of 192 places
    assert torch.equal(laid.padded(row), x)
    assert torch.equal(row[laid.at(PLACES)], at_places(PLACES, x).flatten(0, 1))


@pytest.mark.parametrize("buckets", [0, 32])
@pytest.mark.parametrize("places", [None, PLACES])
@pytest.mark.parametrize("again", [False, True])
def test_the_results_and_gradients_of_padded_texts(
    buckets: int, places: Tensor | None, again: bool
) -> None:
    body, absent = transformer(32, 20, buckets, 0.0), absent_of(LENGTHS, 128)
    if again:
        body.recompute()
    start = torch.randn(len(LENGTHS), 128, 32)

    def found(*, even: bool) -> tuple[Tensor, list[Tensor]]:
        body.zero_grad()
        x = start.clone().requires_grad_()
        if even:
            begun = body.norm(x + body.position.weight[:128])
            h = body.packed(begun, Even(absent, least=512), None, places)
        else:
            h = body(x, absent, None, places)
        h = h[~absent] if places is None else h
        h.square().sum().backward()
        assert x.grad is not None
        return h.detach(), [x.grad, *(p.grad for p in body.parameters() if p.grad is not None)]

    mine, gradients = found(even=True)
    plain, expected = found(even=False)
    torch.testing.assert_close(mine, plain, rtol=1e-4, atol=1e-5)
    assert len(gradients) == len(expected)
    for own, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-4 * other.abs().max().item())


@pytest.mark.parametrize("buckets", [0, 32])
def test_answers_with_empty_places_behind_the_texts(buckets: int) -> None:
    body, absent = transformer(32, 20, buckets, 0.0), absent_of(LENGTHS, 128)[:, :101]
    x, places = torch.randn(len(LENGTHS), 101, 32), PLACES.clamp(max=69)
    with torch.inference_mode():
        begun = body.norm(x + body.position.weight[:101])
        found, looked = body.read_evenly(begun, absent, places)
        expected, also_looked = body.read(x, absent, places)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(looked, also_looked, rtol=1e-4, atol=1e-6)


def test_inner_states_belong_to_the_texts_of_their_tokens() -> None:
    body, absent = transformer(32, 20, 32, 0.0), absent_of(LENGTHS, 128)
    x = torch.randn(len(LENGTHS), 128, 32)
    even, padded = States([0]), States([0])
    body.packed(body.norm(x + body.position.weight[:128]), Even(absent), None, states=even)
    body(x, absent, None, states=padded)
    for number in range(len(LENGTHS)):
        own, other = (s.inner[0].of[s.inner[0].question == number] for s in (even, padded))
        torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-5)
        assert len(own) == LENGTHS[number]


def test_only_texts_of_nearly_the_same_length_lie_so() -> None:
    assert fits(torch.Size([64, 1024]), 64 * 1000)
    assert fits(torch.Size([68, 960]), 68 * 930)
    assert not fits(torch.Size([64, 1025]), 64 * 1000)
    assert not fits(torch.Size([2, 40_000]), 50_000)
    assert not runs_on(torch.device("cpu"), torch.bfloat16)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("places", [None, PLACES])
def test_in_16_bits_on_a_gpu(monkeypatch: pytest.MonkeyPatch, places: Tensor | None) -> None:
    """Against block-sparse attention in the same precision."""
    if not runs_on(torch.device("cuda"), torch.bfloat16):
        pytest.skip("this GPU has no such attention")
    body = transformer(128, 256, 32, 0.0).cuda()
    absent, x = absent_of(LENGTHS, 128).cuda(), torch.randn(len(LENGTHS), 128, 128).cuda()
    weight, asked = torch.randn(128).cuda(), None if places is None else places.cuda()
    taken: list[bool] = []
    attention = Even.attention
    monkeypatch.setattr(
        Even, "attention", lambda *inputs: (taken.append(True), attention(*inputs))[1]
    )

    def gradients() -> list[Tensor]:
        body.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            h = body(x, absent, None, asked, None, sum(LENGTHS))
        h = h[~absent] if places is None else h
        (h.float() @ weight).square().sum().backward()
        return [p.grad.cpu() for p in body.parameters() if p.grad is not None]

    mine = gradients()
    assert taken
    monkeypatch.setattr("cloze.readers.even.fits", lambda *_: False)
    for own, other in zip(mine, gradients(), strict=True):
        torch.testing.assert_close(own, other, rtol=5e-2, atol=5e-2 * other.abs().max().item())
