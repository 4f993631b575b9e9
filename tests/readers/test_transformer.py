"""The transformer's shortcuts give what the whole of it gives."""

import pytest
import torch

from cloze.readers.transformer import Transformer


def transformer(buckets: int) -> Transformer:
    body = Transformer(
        layers=2, size=8, heads=2, inner=12, positions=16, buckets=buckets, epsilon=1e-5, rate=0.1
    )
    random = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in body.parameters():
            weight.normal_(generator=random)
    return body.double()


@pytest.mark.parametrize("buckets", [0, 32])
@pytest.mark.parametrize("lengths", [(9, 9, 9), (9, 4, 6)])
def test_the_last_layer_only_where_it_is_wanted(buckets: int, lengths: tuple[int, ...]) -> None:
    body = transformer(buckets)
    x = torch.randn(3, 9, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    absent = torch.arange(9)[None] >= torch.tensor(lengths)[:, None]
    places = torch.tensor([[3, 0], [1, 2], [2, 2]])
    with torch.no_grad():
        whole, (some, looked) = body(x, absent), body.read(x, absent, places)
    torch.testing.assert_close(some, whole[torch.arange(3)[:, None], places])
    torch.testing.assert_close(looked.sum(1), torch.ones(3, dtype=torch.float64))
    assert not looked[absent].any()


@pytest.mark.parametrize("again", [False, True])
def test_training_learns_the_same_from_the_last_layer_only_where_it_is_wanted(again: bool) -> None:
    absent = torch.arange(9)[None] >= torch.tensor([9, 4, 6])[:, None]
    places, rows = torch.tensor([[3, 0], [1, 2], [2, 2]]), torch.arange(3)[:, None]
    found = []
    for wanted in (None, places):
        body = transformer(32)
        if again:
            body.recompute()
        x = torch.randn(3, 9, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        y = body(x.requires_grad_(), absent, places=wanted)
        y = y[rows, places] if wanted is None else y
        (y**3).sum().backward()
        gradients = {n: w.grad for n, w in body.named_parameters() if w.requires_grad}
        found.append((y, x.grad, gradients))
    torch.testing.assert_close(found[1], found[0])


def test_dropout_in_the_last_layer_where_it_is_wanted() -> None:
    body, places = transformer(32), torch.tensor([[3, 0], [1, 2], [2, 2]])
    x = torch.randn(3, 9, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    absent = torch.zeros(3, 9, dtype=torch.bool)
    one, same, other = (
        body(x, absent, torch.Generator().manual_seed(seed), places=places) for seed in (5, 5, 6)
    )
    assert torch.equal(one, same)
    assert not torch.allclose(one, other)
    body.layers[-1].rate = 0.0  # type: ignore[assignment]
    assert not torch.allclose(one, body(x, absent, torch.Generator().manual_seed(5), places=places))
    assert not torch.equal(one[2, 0], one[2, 1])  # one place, asked for twice, drops other units


@pytest.mark.parametrize("buckets", [0, 32])
def test_a_place_behind_the_end_of_a_text_changes_no_other(buckets: int) -> None:
    """Texts with fewer mentions than others are asked about places that they do not have."""
    body = transformer(buckets)
    x = torch.randn(2, 9, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    absent = torch.arange(9)[None] >= torch.tensor([9, 3])[:, None]
    with torch.no_grad():
        some, looked = body.read(x, absent, torch.tensor([[1, 8, 7], [1, 8, 7]]))
        alone, own = body.read(x[1:, :3], absent[1:, :3], torch.tensor([[1]]))
    torch.testing.assert_close(some[1, :1], alone[0])
    torch.testing.assert_close(looked[1, :3], own[0])


def test_without_padding_nothing_is_added_to_the_scores() -> None:
    """Attention is quicker without a mask; the result is that of a mask of zeros."""
    body, whole = transformer(0), torch.zeros(1, 5, dtype=torch.bool)
    x = torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    assert body._bias(whole, x.dtype) is None
    longer = torch.cat([x, x[:, :2]], 1)
    absent = torch.arange(7)[None] >= 5
    with torch.no_grad():
        torch.testing.assert_close(body(x, whole), body(longer, absent)[:, :5])
