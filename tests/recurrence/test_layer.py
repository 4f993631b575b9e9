"""The layer: its first weights and its two entry points."""

import torch

from cloze.recurrence import PeepholeLSTM
from tests.recurrence.cases import distance


def layer_of(seed: int, **options: float) -> PeepholeLSTM:
    return PeepholeLSTM(6, 16, generator=torch.Generator().manual_seed(seed), **options)


def test_first_weights_come_from_the_generator() -> None:
    one, same, other = (layer_of(seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not any(torch.equal(one[name], other[name]) for name in one)
    assert all(weight.abs().max() <= 16**-0.5 for weight in one.values())


def test_the_forget_gate_starts_open() -> None:
    plain, opened = layer_of(1), layer_of(1, forget_bias=2.0)
    gap = (opened.bias - plain.bias).detach().view(2, 4, 16)
    torch.testing.assert_close(gap[:, 1], torch.full((2, 16), 2.0))
    assert (gap[:, [0, 2, 3]] == 0).all()


def test_projecting_for_oneself_is_the_same() -> None:
    layer, x, lengths = layer_of(3), torch.randn(7, 4, 6), torch.tensor([7, 1, 3, 7])
    projected = torch.nn.functional.linear(x, layer.W_x, layer.bias).view(7, 4, 2, 64)
    bare = PeepholeLSTM(None, 16)
    bare.load_state_dict({"recurrent": layer.recurrent, "peepholes": layer.peepholes})
    assert distance(bare.recur(projected, lengths), layer(x, lengths)) < 1e-6


def test_one_direction() -> None:
    layer = PeepholeLSTM(6, 16, bidirectional=False)
    h = layer(torch.randn(5, 3, 6), torch.tensor([5, 2, 1]))
    assert h.shape == (5, 3, 1, 16)
    assert (h[2:, 1] == 0).all()
    assert (h[1, 1] != 0).any()
