import torch

from cloze.readers.kinds.encoder import EncoderConfig, EncoderReader


@torch.no_grad()
def test_what_all_mentions_share_does_not_drown_their_differences() -> None:
    """All scores of a question may have a large part in common; in 16 bits a step is then 64."""
    network = EncoderReader(EncoderConfig(layers=1, hidden_size=64, positions=32), tokens=10)
    random = torch.Generator().manual_seed(1)
    shared = torch.full((64,), 2.0)
    meant = shared + torch.randn(3, 6, 64, generator=random) / 10
    network.W.weight.copy_(60 * torch.outer(shared, shared) / 256)
    network.W.weight += torch.randn(64, 64, generator=random) / 10
    network.v.weight.copy_(torch.randn(1, 64, generator=random))
    meant = meant.to(torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16):
        found = network._scores(meant).double()
    W, v = network.W.weight.double(), network.v.weight.double()
    h = meant.double()
    wanted = torch.einsum("rh,rkh->rk", h[:, 0] @ W.T, h[:, 1:]) + (h[:, 1:] @ v.T)[..., 0]
    assert wanted.abs().min() > 10_000
    torch.testing.assert_close(found - found[:, :1], wanted - wanted[:, :1], atol=0.02, rtol=0)
