"""What only the CPU recurrence has: its sigmoid and tanh, its threads, and when it cannot run."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cloze.recurrence import PeepholeLSTM, dispatch, loops, peephole_lstm
from cloze.recurrence.shares import shares
from tests.recurrence.cases import distance, problem, solve


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def one_step(i: np.ndarray, g: np.ndarray, o: np.ndarray) -> np.ndarray:
    """h = sigmoid(o) tanh(sigmoid(i) tanh(g)) in float32: a cell of one unit, no past, one token."""
    projected = np.stack([i, np.zeros(len(i)), g, o], axis=1).astype(np.float32)
    h = peephole_lstm(
        torch.from_numpy(projected).view(1, -1, 1, 4),
        torch.zeros(1, 4, 1),
        torch.zeros(1, 3, 1),
        torch.ones(len(i), dtype=torch.int64),
        implementation="cpu",
        reverse=(False,),
    )
    return h.flatten().double().numpy()


def test_tanh_to_the_last_bits() -> None:
    size = 10.0 ** np.linspace(-30, 2, 2000)
    x = np.concatenate([np.linspace(-20, 20, 4000), size, -size, [0.0, -0.0, 3e38, -3e38]])
    x = x.astype(np.float32).astype(np.float64)
    wide_open = np.full(len(x), 60.0)
    # Relative at every single value, also where tanh(x) is nearly x.
    np.testing.assert_allclose(
        one_step(wide_open, x, wide_open), np.tanh(np.tanh(x)), rtol=5e-7, atol=0
    )


def test_sigmoid_to_the_last_bits() -> None:
    x = np.concatenate([np.linspace(-80, 80, 8000), [1e30, 0.0]])
    x = x.astype(np.float32).astype(np.float64)
    wide_open = np.full(len(x), 60.0)
    exact = np.tanh(1.0) / (1 + np.exp(-x))
    np.testing.assert_allclose(one_step(wide_open, wide_open, x), exact, rtol=5e-7, atol=0)


def test_infinities_saturate_and_nan_stays() -> None:
    inf, nan, open_gate = np.inf, np.nan, 60.0
    i = np.array([inf, -inf, open_gate, nan, 0.0, 0.0])
    g = np.array([inf, 1.0, -inf, 0.0, nan, 0.0])
    o = np.array([inf, inf, inf, 0.0, 0.0, nan])
    h = one_step(i, g, o)
    np.testing.assert_allclose(h[:3], [np.tanh(1), 0, -np.tanh(1)], atol=1e-6)
    assert np.isnan(h[3:]).all()


def test_nan_spoils_its_own_sequence_alone() -> None:
    p = problem(6, 5, 2, 20, [6, 6, 3, 1, 6]).to(torch.float32)
    dirty = p._replace(projected=p.projected.clone())
    dirty.projected[2, 1] = torch.nan
    clean, spoilt = solve(p, "cpu")["h"], solve(dirty, "cpu")["h"]
    others = [0, 2, 3, 4]
    assert torch.equal(spoilt[:, others], clean[:, others])
    assert spoilt[2:, 1, 0].isnan().all()
    assert spoilt[:3, 1, 1].isnan().all()


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("D", [1, 2])
def test_threads_change_nothing(threads: None, count: int, D: int) -> None:
    p = problem(15, 18, D, 24).to(torch.float32)
    torch.set_num_threads(1)
    one = solve(p, "cpu")
    torch.set_num_threads(count)
    several = solve(p, "cpu")
    for name in ("h", "projected"):
        assert torch.equal(several[name], one[name])
    for name in ("recurrent", "peepholes"):
        assert distance(several[name], one[name]) < 1e-6


def test_the_same_run_twice_is_the_same_to_the_bit(threads: None) -> None:
    torch.set_num_threads(2)
    p = problem(15, 18, 2, 24).to(torch.float32)
    first, second = solve(p, "cpu"), solve(p, "cpu")
    assert all(torch.equal(first[name], second[name]) for name in first)


@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=40),
    directions=st.integers(1, 3),
    count=st.integers(1, 9),
)
def test_shares_are_fair_and_leave_no_row_out(
    lengths: list[int], directions: int, count: int
) -> None:
    dealt = shares(torch.tensor(lengths), directions, count)
    rows = [(int(first), s.direction) for s in dealt for first in s.first]
    assert sorted(rows) == [(b * directions + d, d) for b in range(len(lengths)) for d in range(directions)]  # fmt: skip
    for share in dealt:
        assert (np.diff(share.lengths) <= 0).all()
        assert [lengths[first // directions] for first in share.first] == list(share.lengths)
    sizes = [len(share.first) for share in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_tensors_of_any_layout() -> None:
    p = problem(7, 5, 2, 16).to(torch.float32)
    strange = p._replace(
        projected=p.projected.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
        recurrent=p.recurrent.transpose(1, 2).contiguous().transpose(1, 2),
        lengths=p.lengths.to(torch.int32),
        grad=p.grad[:1, :1].expand_as(p.grad),
    )
    plain = p._replace(grad=strange.grad.contiguous())
    found, expected = solve(strange, "cpu"), solve(plain, "cpu")
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_auto_is_the_cpu_recurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(5, 3, 2, 8).to(torch.float32)
    expected = solve(p, "cpu")
    monkeypatch.setattr("cloze.recurrence.reference.peephole_lstm", None)
    found = solve(p, "auto")
    assert all(torch.equal(found[name], expected[name]) for name in found)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """As in a new process, before and after."""
    for _ in range(2):
        loops.compiled.cache_clear()
        dispatch.warn_once.cache_clear()
        if _ == 0:
            yield


def test_without_numba_one_warning_and_the_reference(
    forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    layer = PeepholeLSTM(4, 8, generator=torch.Generator().manual_seed(0))
    x, lengths = torch.randn(5, 2, 4), torch.tensor([5, 2])
    with pytest.warns(UserWarning, match="numba cannot be imported") as caught:
        first = layer(x, lengths)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.equal(layer(x, lengths), first)
    layer.implementation = "reference"
    assert torch.equal(layer(x, lengths), first)
    layer.implementation = "cpu"
    with pytest.raises(RuntimeError, match="the cpu recurrence cannot run here"):
        layer(x, lengths)


def test_bfloat16_warns_and_takes_the_reference(forgotten: None) -> None:
    p = problem(5, 3, 2, 8).to(torch.bfloat16)
    with pytest.warns(UserWarning, match="neither float32 nor float64"):
        found = solve(p, "auto")
    expected = solve(p, "reference")
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_nowhere_to_keep_what_was_compiled(
    forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba.core import caching

    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    p = problem(3, 2, 1, 5).to(torch.float32)
    h = peephole_lstm(*p[:4], implementation="cpu", reverse=p.reverse)
    assert distance(h, solve(p, "reference")["h"]) < 1e-6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    # In a process of its own: a test run has other threads, which a fork would not survive.
    script = """
import os, torch
from cloze.recurrence import peephole_lstm
torch.set_num_threads(2)
p = torch.randn(6, 8, 2, 16), torch.randn(2, 16, 4), torch.randn(2, 3, 4), torch.full((8,), 6)
h = peephole_lstm(*p)
child = os.fork()
if child == 0:
    os._exit(0 if torch.equal(peephole_lstm(*p), h) else 3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=False)
    assert done.returncode == 0
