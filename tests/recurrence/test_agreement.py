"""Every implementation that runs here, compared with the reference and with itself."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.recurrence import PeepholeLSTM, hopper, peephole_lstm
from cloze.recurrence.widening import widen
from tests.recurrence.cases import (
    NAMES,
    Problem,
    distance,
    distances,
    problem,
    solve,
)

CAPABILITY = torch.cuda.get_device_capability() if torch.cuda.is_available() else (0, 0)
GPUS = [
    pytest.param(
        "hopper", marks=pytest.mark.skipif(CAPABILITY != (9, 0), reason="needs a Hopper GPU")
    ),
    pytest.param(
        "portable", marks=pytest.mark.skipif(CAPABILITY < (7, 5), reason="needs an NVIDIA GPU")
    ),
]
ON_GPU = ("hopper", "portable")
fast = pytest.mark.parametrize("fast", ["cpu", *GPUS])
every = pytest.mark.parametrize("implementation", ["reference", "cpu", *GPUS])

CASES = [  # T, B, D, H, lengths
    (1, 1, 1, 64, None),
    (1, 1, 2, 1, None),
    (2, 2, 2, 3, [1, 2]),
    (7, 3, 2, 64, [7, 1, 4]),
    (12, 5, 2, 128, [1, 1, 12, 3, 1]),
    (9, 13, 1, 100, None),
    (20, 33, 2, 64, None),
    (8, 6, 2, 256, None),
    (200, 4, 2, 32, None),
]


@fast
@pytest.mark.parametrize(("T", "B", "D", "H", "lengths"), CASES)
def test_agrees_with_the_reference(
    fast: str, T: int, B: int, D: int, H: int, lengths: list[int] | None
) -> None:
    p = problem(T, B, D, H, lengths)
    exact = solve(p, "reference")
    found = solve(p.to(torch.float32), fast)
    assert found["h"].dtype == torch.float32
    far = {name: gap for name, gap in distances(found, exact).items() if gap > 1e-5}
    assert not far


@given(
    T=st.integers(1, 12),
    B=st.integers(1, 11),
    H=st.integers(1, 40),
    reverse=st.lists(st.booleans(), min_size=1, max_size=3),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40)
def test_cpu_in_float64(T: int, B: int, H: int, reverse: list[bool], seed: int) -> None:
    p = problem(T, B, len(reverse), H, seed=seed, reverse=tuple(reverse))
    assert max(distances(solve(p, "cpu"), solve(p, "reference")).values()) < 1e-12


@fast
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_layer_and_all_its_gradients(fast: str, bidirectional: bool) -> None:
    D, device = 1 + bidirectional, "cuda" if fast in ON_GPU else "cpu"
    random = torch.Generator().manual_seed(3)
    x, grad = torch.randn(11, 6, 20, generator=random), torch.randn(11, 6, D, 64, generator=random)
    lengths = torch.tensor([11, 1, 5, 8, 11, 2])
    answers = []
    for implementation, dtype in (("reference", torch.float64), (fast, torch.float32)):
        layer = PeepholeLSTM(
            20,
            64,
            bidirectional=bidirectional,
            implementation=implementation,
            generator=torch.Generator().manual_seed(7),
        )
        layer = layer.to(dtype).to(device)
        mine = x.to(device, dtype).requires_grad_()
        h = layer(mine, lengths)
        h.backward(grad.to(device, dtype))
        answers.append([h.detach(), mine.grad, *(w.grad for w in layer.parameters())])
    assert all(distance(b.cpu(), a.cpu()) < 1e-5 for a, b in zip(*answers, strict=True))


@every
@pytest.mark.parametrize("filling", [float("nan"), float("inf"), 1e30])
def test_padding_is_never_read(implementation: str, filling: float) -> None:
    p = problem(9, 6, 2, 64, [9, 1, 4, 9, 8, 2]).to(torch.float32)
    padding = torch.arange(9)[:, None] >= p.lengths
    dirty = p._replace(
        projected=p.projected.masked_fill(padding[..., None, None], filling),
        grad=p.grad.masked_fill(padding[..., None, None], filling),
    )
    if implementation == "reference":  # autograd multiplies the gradient of padding by zero
        dirty = dirty._replace(grad=p.grad)
    clean, found = solve(p, implementation), solve(dirty, implementation)
    for name in NAMES:
        assert torch.equal(found[name], clean[name])
    assert (found["h"][padding] == 0).all()
    assert (found["projected"][padding] == 0).all()


@every
def test_more_padding_changes_nothing(implementation: str) -> None:
    p = problem(9, 6, 2, 64).to(torch.float32)
    pad = torch.nn.functional.pad
    longer = p._replace(
        projected=pad(p.projected, (0, 0) * 3 + (0, 5)), grad=pad(p.grad, (0, 0) * 3 + (0, 5))
    )
    short, long = solve(p, implementation), solve(longer, implementation)
    for name in ("h", "projected"):
        assert distance(long[name][:9], short[name]) < 1e-6
        assert (long[name][9:] == 0).all()
    for name in ("recurrent", "peepholes"):
        assert distance(long[name], short[name]) < 1e-6


@every
@pytest.mark.parametrize("batch", [1, 2, 3, 5])
def test_a_sequence_does_not_notice_its_batch(implementation: str, batch: int) -> None:
    p = problem(12, 9, 2, 64).to(torch.float32)
    many = solve(p, implementation)
    some = p._replace(
        projected=p.projected[:, :batch], grad=p.grad[:, :batch], lengths=p.lengths[:batch]
    )
    few = solve(some, implementation)
    for name in ("h", "projected"):
        assert distance(few[name], many[name][:, :batch]) < 1e-6


@every
def test_order_in_the_batch_is_kept(implementation: str) -> None:
    p = problem(12, 9, 2, 64).to(torch.float32)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(1))
    mixed = p._replace(
        projected=p.projected[:, order], grad=p.grad[:, order], lengths=p.lengths[order]
    )
    before, after = solve(p, implementation), solve(mixed, implementation)
    for name in ("h", "projected"):
        assert distance(after[name], before[name][:, order]) < 1e-6


@every
def test_the_backward_direction_reads_each_sequence_from_its_own_end(implementation: str) -> None:
    p = problem(10, 5, 1, 64, [10, 1, 6, 3, 9], reverse=(True,)).to(torch.float32)
    turned = p._replace(projected=turn(p), reverse=(False,))
    backward, forward = solve(p, implementation)["h"], solve(turned, implementation)["h"]
    for b, length in enumerate(p.lengths.tolist()):
        assert distance(backward[:length, b], forward[:length, b].flip(0)) < 1e-6


def turn(p: Problem) -> torch.Tensor:
    turned = p.projected.clone()
    for b, length in enumerate(p.lengths.tolist()):
        turned[:length, b] = p.projected[:length, b].flip(0)
    return turned


@every
def test_two_thousand_tokens(implementation: str) -> None:
    p = problem(2000, 2, 1, 16, [2000, 1999], seed=5)
    # The gates forget, so that an early error does not dominate at the end.
    p = p._replace(recurrent=p.recurrent / 2, peepholes=p.peepholes / 4)
    exact = solve(p, "cpu" if implementation == "reference" else "reference")
    found = solve(p.to(torch.float32), implementation)
    assert max(distances(found, exact).values()) < 1e-5


@every
def test_without_gradients_the_same(implementation: str) -> None:
    p = problem(9, 6, 2, 64).to(torch.float32)
    device = "cuda" if implementation in ON_GPU else "cpu"
    inputs = [t.to(device) for t in p[:3]]
    before = inputs[0].clone()
    with torch.no_grad():
        h = peephole_lstm(*inputs, p.lengths, implementation=implementation)
    assert torch.equal(h.cpu(), solve(p, implementation)["h"])
    assert torch.equal(inputs[0], before)  # the caller's own is not written to


@every
def test_no_sequences_at_all(implementation: str) -> None:
    device = "cuda" if implementation in ON_GPU else "cpu"
    layer = PeepholeLSTM(5, 64, implementation=implementation).to(device)
    h = layer(torch.randn(4, 0, 5, device=device), torch.zeros(0, dtype=torch.int64))
    assert h.shape == (4, 0, 2, 64)


@fast
def test_weights_and_gradients_that_are_views(fast: str) -> None:
    p = problem(6, 5, 2, 64).to(torch.float32)
    exact = solve(p, "reference")
    expanded = torch.ones(1, 1, 1, 1, dtype=torch.float32).expand_as(p.grad)
    odd = torch.empty(p.recurrent.numel() + 1)[1:].view(p.recurrent.shape)  # not at 16 bytes
    turned = p.recurrent.transpose(1, 2).contiguous().transpose(1, 2)
    late = p.projected.transpose(0, 1).contiguous().transpose(0, 1)
    for recurrent in (odd.copy_(p.recurrent), turned):
        views = p._replace(recurrent=recurrent, projected=late)
        found = solve(views, fast)
        assert max(distances(found, exact).values()) < 1e-5
        found = solve(views._replace(grad=expanded), fast)
        assert max(distances(found, solve(p._replace(grad=expanded), "reference")).values()) < 1e-5


@fast
def test_a_second_walk_back_is_refused(fast: str) -> None:
    layer = PeepholeLSTM(5, 64, implementation=fast).to("cuda" if fast in ON_GPU else "cpu")
    x = torch.randn(4, 2, 5, device=layer.W_x.device)
    total = layer(x, torch.tensor([4, 2])).sum()
    total.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="run the forward pass again"):
        total.backward()


def test_what_does_not_fit_is_refused() -> None:
    p = problem(4, 3, 2, 8)
    for lengths in ([4, 0, 1], [4, 5, 1]):
        with pytest.raises(ValueError, match="every length must be from 1 to 4"):
            peephole_lstm(*p[:3], torch.tensor(lengths))
    with pytest.raises(ValueError, match="lengths has shape"):
        peephole_lstm(*p[:3], torch.tensor([4, 4]))
    with pytest.raises(ValueError, match="do not fit together"):
        peephole_lstm(p.projected, p.recurrent[:1], p.peepholes, p.lengths)
    with pytest.raises(ValueError, match="reverse has 1 entries for 2 directions"):
        peephole_lstm(*p[:4], reverse=(False,))
    with pytest.raises(ValueError, match="not one of"):
        peephole_lstm(*p[:4], implementation="gpu")
    with pytest.raises(ValueError, match="portable recurrence cannot run on tensors on cpu"):
        peephole_lstm(*p[:4], implementation="portable")


@given(
    batch=st.integers(1, 5000),
    directions=st.integers(1, 2),
    resident=st.integers(1, 32),
)
def test_tiles_cover_the_batch(batch: int, directions: int, resident: int) -> None:
    tile = hopper.tile_size(batch, directions, resident)
    assert tile in (1, 2, 4) or (tile % 8 == 0 and tile <= hopper.LARGEST_TILE)
    smaller = {1: 0, 2: 1, 4: 2, 8: 4}.get(tile, tile - 8)
    # No smaller tile would do in as few rounds.
    per_round = max(resident // directions, 1)
    rounds = -(-batch // (per_round * tile))
    assert smaller == 0 or batch > smaller * per_round * rounds


def test_a_widened_network_is_the_same_network() -> None:
    p = problem(5, 3, 2, 40)
    wide = widen(*p[:3], hopper.padded_size(40, torch.device("cuda", 0)))
    assert wide[1].shape == (2, 256, 64)
    h = peephole_lstm(*wide, p.lengths, implementation="reference")
    narrow = peephole_lstm(*p[:4], implementation="reference")
    assert distance(h[..., :40], narrow) < 1e-14
    assert (h[..., 40:] == 0).all()
