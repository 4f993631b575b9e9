"""Texts laid end to end give the same results as padded texts."""

import pytest
import torch

from cloze.readers.packed import Packed
from cloze.readers.transformer import Transformer

LENGTHS = [1, 200, 37, 128, 129, 5]


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


@pytest.mark.filterwarnings("ignore:.*flex_attention called without torch.compile")
@pytest.mark.parametrize("buckets", [0, 32])
def test_packed_layers_are_the_padded_ones(buckets: int) -> None:
    body = transformer(32, 20, buckets, 0.1)
    absent = absent_of(LENGTHS, 210)
    x = torch.randn(len(LENGTHS), 210, 32)
    with torch.inference_mode():
        expected = body(x, absent, None)
        start = body.norm(x + body.position.weight[:210])
        found = body.packed(start, absent, None)
    there = ~absent
    torch.testing.assert_close(found[there], expected[there], rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_the_compiled_layers_have_the_gradients_of_the_padded_ones() -> None:
    body = transformer(128, 256, 32, 0.0)
    absent, x = absent_of(LENGTHS, 210), torch.randn(len(LENGTHS), 210, 128)
    weight = torch.randn(128)

    def gradients(device: str) -> list[torch.Tensor]:
        body.to(device).zero_grad()
        h = body(x.to(device), absent.to(device), None)
        (h[~absent.to(device)] @ weight.to(device)).square().sum().backward()
        return [p.grad.cpu() for p in body.parameters() if p.grad is not None]

    for mine, plain in zip(gradients("cuda"), gradients("cpu"), strict=True):
        torch.testing.assert_close(mine, plain, rtol=1e-2, atol=1e-2 * plain.abs().max().item())
