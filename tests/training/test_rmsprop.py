"""RmsProp and Adam against the equations in NumPy, and RmsProp against PyTorch's own."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import nn

from cloze.errors import UserError
from cloze.training.rmsprop import BLOCK, Adam, RmsProp, learning_rate

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def parameters(seed: int, *shapes: tuple[int, ...]) -> list[tuple[str, nn.Parameter]]:
    random = torch.Generator().manual_seed(seed)
    return [
        (f"w{k}", nn.Parameter(torch.randn(shape, generator=random)))
        for k, shape in enumerate(shapes)
    ]


def give_gradients(weights: list[tuple[str, nn.Parameter]], seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    for _, weight in weights:
        weight.grad = torch.randn(weight.shape, generator=random).to(weight.device)


@settings(max_examples=30)
@given(
    decay=st.floats(0.1, 0.99),
    momentum=st.floats(0.0, 0.99),
    epsilon=st.floats(1e-8, 1e-2),
    inside=st.booleans(),
    centred=st.booleans(),
)
def test_the_equations_of_graves(
    decay: float, momentum: float, epsilon: float, inside: bool, centred: bool
) -> None:
    weights = parameters(0, (3, 4))
    made = RmsProp(
        weights,
        decay=decay,
        momentum=momentum,
        epsilon=epsilon,
        epsilon_inside=inside,
        centred=centred,
    )
    w = weights[0][1].detach().double().numpy().copy()
    n, g, move = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for step in range(5):
        rate = 0.01 / (1 + step)
        give_gradients(weights, step)
        e = weights[0][1].grad.double().numpy().copy()  # type: ignore[union-attr]
        n = decay * n + (1 - decay) * e**2
        g = decay * g + (1 - decay) * e
        spread = np.maximum(n - g**2, 0) if centred else n
        root = np.sqrt(spread + epsilon) if inside else np.sqrt(spread) + epsilon
        move = momentum * move - rate * e / root
        w = w + move
        made.step(rate, None)
        assert weights[0][1].grad is None
    tolerance = 1e-2 if centred else 1e-4  # n - g² cancels in single precision
    np.testing.assert_allclose(weights[0][1].detach().numpy(), w, rtol=tolerance, atol=1e-4)


def test_it_is_pytorchs_at_a_constant_rate() -> None:
    shapes = ((5, 7), (BLOCK + 3,), (2,))  # one that does not fit a block
    ours, theirs = parameters(1, *shapes), parameters(1, *shapes)
    made = RmsProp(ours, decay=0.95, momentum=0.9)
    rival = torch.optim.RMSprop([w for _, w in theirs], lr=1e-3, alpha=0.95, momentum=0.9, eps=1e-8)
    for step in range(4):
        give_gradients(ours, step)
        give_gradients(theirs, step)
        made.step(1e-3, None)
        rival.step()
    for (_, a), (_, b) in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("clip", [None, 0.5])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_gpu)])
def test_the_equations_of_adam(clip: float | None, device: str) -> None:
    weights = [(n, nn.Parameter(w.detach().to(device))) for n, w in parameters(1, (5, 7), (3,))]
    made = Adam(weights, decays=(0.8, 0.95), epsilon=1e-3)
    w = [weight.detach().cpu().double().numpy().copy() for _, weight in weights]
    mean, square = [0 * x for x in w], [0 * x for x in w]
    for step in range(1, 5):
        rate = 0.1 / step
        give_gradients(weights, step)
        gradients = [weight.grad.cpu().double().numpy() for _, weight in weights]  # type: ignore[union-attr]
        norm = np.sqrt(sum((g**2).sum() for g in gradients))
        assert float(made.step(rate, clip)) == pytest.approx(norm)
        for k, g in enumerate(gradients):
            g = g if clip is None else g * min(1, clip / norm)
            mean[k] = 0.8 * mean[k] + 0.2 * g
            square[k] = 0.95 * square[k] + 0.05 * g**2
            first, second = mean[k] / (1 - 0.8**step), square[k] / (1 - 0.95**step)
            w[k] = w[k] - rate * first / (np.sqrt(second) + 1e-3)
    for (_, weight), expected in zip(weights, w, strict=True):
        np.testing.assert_allclose(weight.detach().cpu().numpy(), expected, rtol=1e-4, atol=1e-6)


def test_a_state_of_adam_that_was_written_before_goes_on() -> None:
    """Recorded from our own Adam, which PyTorch's has replaced."""
    recorded = load_file(Path(__file__).parent / "golden" / "adam-1.safetensors")

    def named(kind: str) -> dict[str, torch.Tensor]:
        return {k.removeprefix(kind): t for k, t in recorded.items() if k.startswith(kind)}

    weights = [(name, nn.Parameter(t)) for name, t in named("before.").items()]
    made = Adam(weights)
    made.load(named("state."))
    give_gradients(weights, 2)
    made.step(1e-2, 1.0)
    for name, weight in weights:
        torch.testing.assert_close(weight.detach(), recorded[f"after.{name}"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", [RmsProp, Adam])
def test_a_gradient_in_another_order_in_memory_is_the_same_gradient(
    kind: type[RmsProp | Adam],
) -> None:
    ours, theirs = parameters(1, (5, 7)), parameters(1, (5, 7))
    for weights in (ours, theirs):
        give_gradients(weights, 0)
    theirs[0][1].grad = theirs[0][1].grad.t().contiguous().t()  # type: ignore[union-attr]
    kind(ours).step(1e-2, None)
    kind(theirs).step(1e-2, None)
    assert torch.equal(ours[0][1], theirs[0][1])


@needs_gpu
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_the_kernel_does_what_the_lists_do(
    centred: bool, inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for large in (1, 1 << 40):
        monkeypatch.setattr("cloze.training.rmsprop.LARGE", large)
        weights = [(n, nn.Parameter(w.detach().cuda())) for n, w in parameters(4, (333, 77))]
        made = RmsProp(weights, centred=centred, epsilon_inside=inside, epsilon=1e-4)
        random = torch.Generator().manual_seed(0)
        for _ in range(3):
            weights[0][1].grad = torch.randn(333, 77, generator=random).cuda()
            made.step(1e-2, 1.0)
        found.append(weights[0][1].detach())
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("clip", [0.5, 1e6])
def test_clipping_is_by_the_norm_over_all_parameters(clip: float) -> None:
    ours, theirs = parameters(2, (4, 4), (3,)), parameters(2, (4, 4), (3,))
    give_gradients(ours, 9)
    give_gradients(theirs, 9)
    expected = torch.nn.utils.clip_grad_norm_([w for _, w in theirs], clip)
    made, unclipped = RmsProp(ours), RmsProp(theirs)
    norm = made.step(1e-3, clip)
    unclipped.step(1e-3, None)
    torch.testing.assert_close(norm, expected)
    for (_, a), (_, b) in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_a_weight_that_got_no_gradient_still_glides() -> None:
    weights = parameters(3, (4,))
    made = RmsProp(weights)
    give_gradients(weights, 0)
    made.step(1e-2, None)
    before = weights[0][1].detach().clone()
    made.step(1e-2, None)
    assert not torch.equal(before, weights[0][1])


def test_a_block_does_not_matter_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for block in (7, 1 << 20):
        monkeypatch.setattr("cloze.training.rmsprop.BLOCK", block)
        weights = parameters(4, (33, 5))
        made = RmsProp(weights, centred=True)
        for step in range(3):
            give_gradients(weights, step)
            made.step(1e-2, 1.0)
        found.append(weights[0][1].detach().clone())
    assert torch.equal(*found)


@pytest.mark.parametrize("kind", [RmsProp, Adam])
def test_state_goes_on_to_the_bit(kind: type[RmsProp | Adam]) -> None:
    straight = parameters(5, (6, 3))
    made = kind(straight)
    for step in range(2):
        give_gradients(straight, step)
        made.step(1e-2, 1.0)
    resumed = [(name, nn.Parameter(w.detach().clone())) for name, w in straight]
    other = kind(resumed)
    other.load({name: t.clone() for name, t in made.state().items()})
    for weights, optimiser in ((straight, made), (resumed, other)):
        give_gradients(weights, 2)
        optimiser.step(1e-2, 1.0)
    assert torch.equal(straight[0][1], resumed[0][1])


def test_state_of_another_reader_is_refused() -> None:
    made = RmsProp(parameters(0, (3, 4)))
    with pytest.raises(UserError, match="another reader or optimiser"):
        made.load(RmsProp(parameters(0, (4, 3))).state())
    with pytest.raises(UserError, match="another reader or optimiser"):
        made.load(Adam(parameters(0, (3, 4))).state())


def rate(step: int, schedule: str, warmup: int = 0, halvings: int = 0) -> float:
    return learning_rate(
        step,
        base=1.0,
        schedule=schedule,  # type: ignore[arg-type]
        warmup=warmup,
        steps=100,
        half_life=50,
        halvings=halvings,
    )


def test_schedules() -> None:
    assert [rate(s, "constant") for s in (0, 99)] == [1.0, 1.0]
    assert [rate(s, "linear") for s in (0, 50, 100)] == [1.0, 0.5, 0.0]
    assert rate(50, "inverse") == 0.5
    assert rate(3, "plateau", halvings=2) == 0.25
    assert [rate(s, "constant", warmup=4) for s in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_adam_with_weight_decay_is_adamw() -> None:
    """Matrices shrink as PyTorch's AdamW shrinks them; vectors do not."""
    ours, theirs = nn.Linear(5, 3), nn.Linear(5, 3)
    theirs.load_state_dict(ours.state_dict())
    mine = Adam(ours.named_parameters(), decays=(0.9, 0.98), weight_decay=0.1)
    groups = [{"params": [theirs.weight], "weight_decay": 0.1}]
    groups += [{"params": [theirs.bias], "weight_decay": 0.0}]
    torchs = torch.optim.AdamW(groups, lr=0.01, betas=(0.9, 0.98), eps=1e-8)
    x = torch.randn(7, 5, generator=torch.Generator().manual_seed(1))
    for _ in range(20):
        for layer in (ours, theirs):
            layer(x).square().sum().backward()
        mine.step(0.01)
        torchs.step()
        torchs.zero_grad()
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(ours.bias, theirs.bias, rtol=1e-5, atol=1e-6)
