"""Texts laid end to end give the same results as padded texts."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.attention.flex_attention import BlockMask

from cloze.readers.packed import BLOCK, Packed, compiled
from cloze.readers.transformer import Transformer, at_places

LENGTHS = [1, 200, 37, 128, 129, 5]
PLACES = torch.tensor([[0, 0], [7, 199], [36, 0], [5, 6], [128, 1], [4, 3]])


def transformer(size: int, inner: int, buckets: int, rate: float) -> Transformer:
    torch.manual_seed(3)
    body = Transformer(
        layers=2,
        size=size,
        heads=2,
        inner=inner,
        positions=256,
        buckets=buckets,
        epsilon=1e-5,
        rate=rate,
    )
    for weight in body.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    return body


def absent_of(lengths: list[int], longest: int) -> torch.Tensor:
    return torch.arange(longest)[None] >= torch.tensor(lengths)[:, None]


def test_packing_and_padding_again_changes_nothing() -> None:
    absent = absent_of(LENGTHS, 210)
    x = torch.randn(len(LENGTHS), 210, 3).masked_fill(absent[..., None], 0.0)
    laid = Packed(absent, least=256)
    assert len(laid.packed(x)) == 512  # 500 tokens
    assert torch.equal(laid.padded(laid.packed(x)), x)


def test_a_block_is_looked_at_where_texts_meet() -> None:
    """Against a mask of all pairs of tokens."""
    laid = Packed(absent_of(LENGTHS, 210), least=256)
    same = laid.text[:, None] == laid.text[None]
    by_block = same.view(4, 128, 4, 128).transpose(1, 2).flatten(2)
    dense = laid.blocks().to_dense()[0, 0].bool()
    assert torch.equal(dense, by_block.any(2))


@given(lengths=st.lists(st.integers(1, 600), min_size=1, max_size=9))
def test_no_score_is_computed_beyond_the_table(lengths: list[int]) -> None:
    laid = Packed(absent_of(lengths, max(lengths)), least=256)
    rows, columns = laid.blocks().to_dense()[0, 0].nonzero().unbind(1)
    furthest = (rows - columns).abs().max().item() * BLOCK + BLOCK - 1
    assert furthest <= max(lengths) + 2 * BLOCK


@pytest.mark.filterwarnings("ignore:.*flex_attention called without torch.compile")
@pytest.mark.parametrize("buckets", [0, 32])
def test_packed_layers_are_the_padded_ones(monkeypatch: pytest.MonkeyPatch, buckets: int) -> None:
    body = transformer(32, 20, buckets, 0.1)
    absent = absent_of(LENGTHS, 210)
    x = torch.randn(len(LENGTHS), 210, 32)
    laid = Packed(absent, sum(LENGTHS), least=512)
    with torch.inference_mode():
        expected = body(x, absent, None)
        start = body.norm(x + body.position.weight[:210])
        found = body.packed(start, laid, None)
        some = body.packed(start, laid, None, PLACES)
    there = ~absent
    torch.testing.assert_close(found[there], expected[there], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(some, at_places(PLACES, expected), rtol=1e-4, atol=1e-5)


def dense_attention(
    qkv: torch.Tensor, heads: int, table: torch.Tensor | None, blocks: BlockMask
) -> torch.Tensor:
    """Over all pairs of tokens: PyTorch's block-sparse attention has no backward pass on a CPU."""
    at = torch.arange(len(qkv))
    mask = blocks.mask_mod(at[:1], at[:1], at[:, None], at[None])
    assert table is not None
    middle = table.shape[1] // 2
    bias = table[:, (at[None] - at[:, None] + middle).clamp(0, 2 * middle)]
    q, k, v = qkv.view(len(qkv), 3, heads, -1).permute(1, 2, 0, 3)
    bias = bias.masked_fill(~mask, float("-inf"))
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return y.transpose(0, 1).flatten(1)


@pytest.mark.parametrize("again", [False, True])
def test_only_at_the_places_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """The same results and gradients as if the last layer had been computed for all tokens."""
    monkeypatch.setattr("cloze.readers.transformer.attention", dense_attention)
    body = transformer(32, 20, 32, 0.1)
    absent, start = absent_of(LENGTHS, 210), torch.randn(len(LENGTHS), 210, 32)
    if again:
        body.recompute()

    def found(places: torch.Tensor | None) -> tuple[torch.Tensor, list[torch.Tensor]]:
        body.zero_grad()
        x = start.clone().requires_grad_()
        h = body.packed(x, Packed(absent, least=512), None, places)
        h = at_places(PLACES, h) if places is None else h
        h.square().sum().backward()
        weights = [p.grad.clone() for p in body.layers.parameters() if p.grad is not None]
        assert x.grad is not None
        return h.detach(), [x.grad, *weights]

    calls: list[int] = []
    body.layers[-1].up.register_forward_hook(lambda _, inputs, out: calls.append(len(out)))
    some, gradients = found(PLACES)
    assert calls == [PLACES.numel()] * (2 if again else 1)
    every, expected = found(None)
    torch.testing.assert_close(some, every, rtol=1e-4, atol=1e-5)
    assert len(gradients) == len(expected)
    for mine, plain in zip(gradients, expected, strict=True):
        torch.testing.assert_close(mine, plain, rtol=1e-4, atol=1e-4 * plain.abs().max().item())


def test_a_place_without_a_token_stands_somewhere() -> None:
    """Rows are filled up with such places, and nobody reads what comes of them."""
    laid = Packed(absent_of([3, 1, 2], 4), least=128)
    places = torch.tensor([[0, 2, 3], [0, 1, 3], [1, 0, 2]])
    assert laid.at(places).tolist() == [0, 2, 2, 3, 3, 3, 5, 4, 5]
    assert laid.where[:8].tolist() == [0, 1, 2, 4, 8, 9, 0, 1]


def test_more_sizes_are_compiled_than_pytorch_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pupil and its teacher share the functions, each with its own sizes."""
    seen: list[int] = []

    def note(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> torch.fx.GraphModule:
        seen.append(len(inputs[0]))
        return graph

    plainly = torch.compile
    monkeypatch.setattr(torch, "compile", lambda f, **_: plainly(f, dynamic=False, backend=note))
    double = compiled(lambda x: x * 2)
    assert [len(double(torch.ones(size))) for size in range(2, 22)] == list(range(2, 22))
    assert seen == list(range(2, 22))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("places", [None, PLACES])
def test_the_compiled_layers_have_the_gradients_of_the_padded_ones(
    places: torch.Tensor | None,
) -> None:
    body = transformer(128, 256, 32, 0.0)
    absent, x = absent_of(LENGTHS, 210), torch.randn(len(LENGTHS), 210, 128)
    weight = torch.randn(128)

    def gradients(device: str) -> list[torch.Tensor]:
        body.to(device).zero_grad()
        there, asked = ~absent.to(device), None if places is None else places.to(device)
        h = body(x.to(device), ~there, None, asked)
        h = h[there] if places is None else h
        (h @ weight.to(device)).square().sum().backward()
        return [p.grad.cpu() for p in body.parameters() if p.grad is not None]

    for mine, plain in zip(gradients("cuda"), gradients("cpu"), strict=True):
        torch.testing.assert_close(mine, plain, rtol=1e-2, atol=1e-2 * plain.abs().max().item())
