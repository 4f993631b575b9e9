"""The Impatient Reader's own loop: its gradients, its memory, and one step by hand."""

import numpy as np
import pytest
import torch
from torch import Tensor

from cloze.readers.kinds.impatient import ImpatientReader, Rereading, fused_rereading
from cloze.readers.layers import padding
from tests.readers.cases import batch_of, example, network_of, reader_config


def inputs(
    document: list[int],
    query: list[int],
    m: int = 4,
    r: int = 3,
    dtype: torch.dtype = torch.float64,
) -> list[Tensor]:
    random = torch.Generator().manual_seed(1)
    T, Q, B = max(document), max(query), len(document)
    shapes = [(T, B, m), (Q, B, m), (T, B, r), (r,), (m, r), (r, r), (m,)]
    made = [torch.randn(s, generator=random, dtype=torch.float64).to(dtype) for s in shapes]
    masks = [padding(torch.tensor(document), T), padding(torch.tensor(query), Q)]
    return [t.requires_grad_() for t in made] + masks


def plain(
    D: Tensor,
    Q: Tensor,
    y_d: Tensor,
    r_0: Tensor,
    W_rm: Tensor,
    W_rr: Tensor,
    w_ms: Tensor,
    no_document: Tensor,
    no_query: Tensor,
) -> tuple[Tensor, Tensor]:
    """The same loop left to automatic differentiation."""
    r = r_0.expand(D.shape[1], -1)
    rows = []
    for i in range(len(Q)):
        m = torch.tanh(D + r @ W_rm.t() + Q[i])
        s = torch.softmax((m @ w_ms).masked_fill(no_document, float("-inf")), dim=0)
        read = torch.einsum("tb,tbr->br", s, y_d) + torch.tanh(r @ W_rr.t())
        r = torch.where(no_query[i, :, None], r, read)
        rows.append(s.masked_fill(no_query[i], 0.0))
    return r, torch.stack(rows)


@pytest.mark.parametrize(
    ("document", "query"), [([1], [1]), ([5, 3, 1], [4, 1, 2]), ([6, 6], [1, 5])]
)
def test_gradients_are_those_of_the_plain_loop(document: list[int], query: list[int]) -> None:
    mine, other = inputs(document, query), inputs(document, query)
    r, s = Rereading.apply(*mine)
    r_plain, s_plain = plain(*other)
    torch.testing.assert_close(r, r_plain)
    torch.testing.assert_close(s, s_plain)
    weights = torch.randn(r.shape, generator=torch.Generator().manual_seed(2), dtype=r.dtype)
    (r * weights).sum().backward()
    (r_plain * weights).sum().backward()
    for a, b in zip(mine[:7], other[:7], strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_gradcheck() -> None:
    *tensors, no_document, no_query = inputs([4, 2], [3, 1])
    assert torch.autograd.gradcheck(
        lambda *t: Rereading.apply(*t, no_document, no_query)[0], tensors, fast_mode=False
    )


def test_bfloat16_stays_near() -> None:
    exact, rough = inputs([40, 9], [6, 3], 8, 8), inputs([40, 9], [6, 3], 8, 8, torch.bfloat16)
    a, b = Rereading.apply(*exact), Rereading.apply(*rough)
    assert b[0].dtype == torch.float32
    torch.testing.assert_close(b[0].double(), a[0], rtol=0.05, atol=0.05)
    b[0].sum().backward()
    a[0].sum().backward()
    for x, y in zip(exact[:7], rough[:7], strict=True):
        assert y.grad is not None
        assert y.grad.dtype == torch.bfloat16
        similarity = torch.cosine_similarity(x.grad.flatten(), y.grad.double().flatten(), dim=0)
        assert similarity > 0.99


def saved_bytes(query: int) -> int:
    """What one forward pass keeps for the backward pass, each storage once."""
    storages: dict[int, Tensor] = {}

    def pack(tensor: Tensor) -> Tensor:
        storages[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        Rereading.apply(*inputs([400], [query], m=64, r=64))
        return sum(tensor.untyped_storage().nbytes() for tensor in storages.values())


def test_memory_does_not_hold_the_document_once_a_query_token() -> None:
    document, attention_map_row = 400 * 64 * 8, 400 * 8
    growth = (saved_bytes(22) - saved_bytes(2)) / 20
    beyond_the_map = growth - attention_map_row
    assert 0 < beyond_the_map <= 8 * 64 * 3  # a few vectors per token
    assert beyond_the_map < document / 50


def test_one_query_token_by_hand() -> None:
    config = reader_config(kind="impatient", hidden_size=3)
    network = network_of(config)
    assert isinstance(network, ImpatientReader)
    e = example(np.random.default_rng(0), 5, 1)
    batch = batch_of([e])
    logits, attention = network(batch)
    y_d = network.document_encoder(network.embedding(batch.document), batch.document_lengths, None)
    y_q = network.query_encoder(network.embedding(batch.question), batch.question_lengths, None)
    y_d, y_q = y_d[:, 0], y_q[0, 0]
    shared = network.W_rm.weight @ network.r_0 + network.W_qm.weight @ y_q
    scores = torch.stack(
        [network.w_ms.weight[0] @ torch.tanh(network.W_dm.weight @ y + shared) for y in y_d]
    )
    s = torch.exp(scores) / torch.exp(scores).sum()
    r = y_d.T @ s + torch.tanh(network.W_rr.weight @ network.r_0)
    # One token: its own encoding is the query's, u = y_q(1).
    g = torch.tanh(network.W_rg.weight @ r + network.W_qg.weight @ y_q)
    torch.testing.assert_close(attention[0, 0], s)
    torch.testing.assert_close(logits[0, 1:], (network.answer.weight @ g)[1:])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="the fused kernels need a GPU")
@pytest.mark.parametrize(("document", "query"), [([1], [1]), ([50, 3, 1], [4, 1, 2])])
def test_the_fused_loop_is_the_plain_one(document: list[int], query: list[int]) -> None:
    fused = fused_rereading()
    if fused is None:
        pytest.skip("Triton is not installed")
    made = [t.detach().cuda() for t in inputs(document, query, 70, 36, torch.float32)]
    lengths = torch.tensor(document).cuda()

    def results(dtype: torch.dtype, fuse: bool) -> list[Tensor]:
        own = [t.to(dtype) if t.is_floating_point() else t.clone() for t in made]
        for t in own[:7]:
            t.requires_grad_()
        r, s = fused.apply(*own[:7], lengths, own[8]) if fuse else plain(*own)
        gradients = torch.autograd.grad(r.square().sum(), own[:7])
        return [t.detach().double() for t in (r, s, *gradients)]

    # Errors grow from token to token, so the measure is the plain loop in the same precision.
    exact = results(torch.float64, fuse=False)
    ours, plainly = results(torch.float32, fuse=True), results(torch.float32, fuse=False)
    for fast, slow, right in zip(ours, plainly, exact, strict=True):
        assert (fast - right).norm() <= 2 * (slow - right).norm() + 1e-6 * right.norm()
        assert (fast - right).norm() <= 1e-3 * right.norm() + 1e-6
