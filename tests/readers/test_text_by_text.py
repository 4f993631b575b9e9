"""Attention for training on a CPU in 16 bits, beside PyTorch's own in 64."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.readers import text_by_text
from cloze.readers.registry import build, config_of
from tests.readers.cases import Example, batch_of

TEXTS, HEADS, LENGTH, SIZE = 3, 4, 50, 16


def inputs() -> list[Tensor]:
    random = torch.Generator().manual_seed(1)
    shape = (TEXTS, LENGTH, HEADS, SIZE)
    drawn = [torch.randn(shape, generator=random).transpose(1, 2) for _ in range(3)]
    return [x.bfloat16().requires_grad_() for x in drawn]


def biases() -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(2)
    absent = torch.arange(LENGTH) >= torch.tensor([50, 43, 20])[:, None]
    mask = torch.zeros(TEXTS, LENGTH).masked_fill(absent, -1e4)[:, None, None]
    table = torch.randn(HEADS, 2 * LENGTH - 1, generator=random)
    far = table.unfold(1, LENGTH, 1).flip(1)[None]  # a view, as the transformer's is
    found = {"mask": mask, "distance": far, "both": mask + far}
    return {name: bias.bfloat16() for name, bias in found.items()}


@pytest.mark.parametrize("name", ["mask", "distance", "both"])
def test_results_and_gradients(name: str) -> None:
    bias, own = biases()[name], inputs()
    exact = [x.detach().double().requires_grad_() for x in own]
    y = text_by_text.attention(*own, bias)
    expected = F.scaled_dot_product_attention(*exact, attn_mask=bias.double())
    wanted = torch.randn(expected.shape, generator=torch.Generator().manual_seed(3)).bfloat16()
    y.backward(wanted)  # type: ignore[no-untyped-call]
    expected.backward(wanted.double())  # type: ignore[no-untyped-call]
    for found, right in [
        (y, expected),
        *((a.grad, b.grad) for a, b in zip(own, exact, strict=True)),
    ]:
        assert found is not None
        assert right is not None
        error = (found.double() - right).norm() / right.norm()
        assert error < 0.01
        assert (found.double() - right).abs().max() < 0.05 * right.abs().max()


def test_a_text_does_not_see_the_others() -> None:
    q, k, v = inputs()
    bias = biases()["both"]
    together = text_by_text.attention(q, k, v, bias)
    for b in range(TEXTS):
        alone = text_by_text.attention(q[b, None], k[b, None], v[b, None], bias[b, None])
        assert torch.equal(alone[0], together[b])


def test_in_32_bits_it_is_pytorchs() -> None:
    q, k, v = (x.detach().float() for x in inputs())
    bias = biases()["both"].float()
    found = text_by_text.attention(q, k, v, bias)
    assert torch.equal(found, F.scaled_dot_product_attention(q, k, v, attn_mask=bias))


def test_an_encoder_reader_is_trained_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 16 bits on a CPU; its gradient is that of 32 bits, up to their rounding."""
    shape = {"kind": "encoder", "layers": 2, "hidden_size": 64, "positions": 64}
    config = config_of({**shape, "relative_buckets": 8, "dropout": 0})
    network = build(config, 20, seed=1)
    with torch.no_grad():
        for weight in network.parameters():
            weight.mul_(4)
    batch = batch_of([Example([4, 9, 5, 10, 4], [2, 10], 4), Example([6, 9, 7], [9, 2, 11], 7)])
    used: list[torch.Size] = []
    taken = text_by_text._TextByText.forward

    def counted(ctx: object, q: Tensor, *rest: Tensor) -> Tensor:
        used.append(q.shape)
        return taken(ctx, q, *rest)

    monkeypatch.setattr(text_by_text._TextByText, "forward", staticmethod(counted))

    def gradients(*, enabled: bool) -> list[Tensor]:
        network.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            logits, _ = network(batch, torch.Generator().manual_seed(1))
        logits.float().logsumexp(1).sum().backward()  # type: ignore[no-untyped-call]
        return [p.grad.clone() for p in network.parameters() if p.grad is not None]

    exact = gradients(enabled=False)
    assert not used
    rounded = gradients(enabled=True)
    assert len(used) == 1  # the last layer answers only at a few places, which needs no such way
    whole, other = (torch.cat([g.flatten() for g in some]) for some in (exact, rounded))
    assert (whole - other).norm() < 0.05 * whole.norm()
