"""The reference against the equations in NumPy, and its gradients against finite differences."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.recurrence import peephole_lstm
from tests.recurrence.cases import by_hand, distance, problem, solve


@given(
    T=st.integers(1, 7),
    B=st.integers(1, 4),
    H=st.integers(1, 6),
    reverse=st.lists(st.booleans(), min_size=1, max_size=3),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60)
def test_the_equations(T: int, B: int, H: int, reverse: list[bool], seed: int) -> None:
    p = problem(T, B, len(reverse), H, seed=seed, reverse=tuple(reverse))
    h = peephole_lstm(*p[:4], implementation="reference", reverse=p.reverse)
    assert distance(h, torch.from_numpy(by_hand(p))) < 1e-13


def test_gradients_by_finite_differences() -> None:
    p = problem(4, 3, 2, 3, lengths=[4, 1, 3])

    def run(*inputs: torch.Tensor) -> torch.Tensor:
        return peephole_lstm(*inputs, p.lengths, implementation="reference")

    inputs = tuple(t.requires_grad_() for t in p[:3])
    assert torch.autograd.gradcheck(run, inputs)


def test_float32_stays_near_float64() -> None:
    p = problem(30, 5, 2, 24)
    exact = solve(p, "reference")
    found = solve(p.to(torch.float32), "reference")
    assert found["h"].dtype == torch.float32
    assert all(distance(found[name], exact[name]) < 1e-5 for name in exact)
