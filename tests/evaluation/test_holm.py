"""Holm's method against what it is a short cut for: Bonferroni's test of every subset."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.evaluation.holm import holm


def by_closure(values: list[float]) -> list[float]:
    """A hypothesis falls if every set of hypotheses that it is in falls."""
    numbers = range(len(values))
    sets = [s for size in range(1, len(values) + 1) for s in combinations(numbers, size)]
    bonferroni = {s: min(1.0, len(s) * min(values[k] for k in s)) for s in sets}
    return [max(p for s, p in bonferroni.items() if k in s) for k in numbers]


@given(st.lists(st.floats(0, 1), max_size=6))
def test_the_same_as_all_subsets(values: list[float]) -> None:
    assert holm(values) == pytest.approx(by_closure(values))
