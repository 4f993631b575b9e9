"""The NumPy recurrence and decoding against outside oracles: PyTorch, and trying every path."""

import itertools

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.propbank.sequences import Packed, best_path
from cloze.randomness import generator

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def bounds_of(lengths: list[int]) -> np.ndarray:
    return np.cumsum([0, *lengths])


@settings(max_examples=30)
@given(LENGTHS, st.integers(0, 1000), st.booleans())
def test_the_lstm_is_pytorchs(lengths: list[int], seed: int, back: bool):
    units, size = 3, 4
    random = generator(seed)
    bounds = bounds_of(lengths)
    x = random.standard_normal((bounds[-1], size)).astype(np.float32)
    theirs = torch.nn.LSTM(size, units)
    weights = [random.standard_normal(w.shape).astype(np.float32) for w in theirs.parameters()]
    with torch.no_grad():
        for parameter, weight in zip(theirs.parameters(), weights, strict=True):
            parameter.copy_(torch.from_numpy(weight))
    into, recurrent, bias_in, bias_recurrent = weights
    gates = x @ into.T + bias_in + bias_recurrent
    ours = Packed.of(bounds).lstm(gates, recurrent.T, back=back)
    step = -1 if back else 1
    for begin, end in itertools.pairwise(bounds):
        own = torch.from_numpy(x[begin:end][::step].copy())
        expected = theirs(own)[0].detach().numpy()[::step]
        np.testing.assert_allclose(ours[begin:end], expected, atol=1e-5)


def consistent(path: tuple[int, ...], kinds: int) -> bool:
    before = 0
    for label in path:
        if label > kinds and before not in (label, label - kinds):
            return False
        before = label
    return True


@settings(max_examples=60)
@given(LENGTHS, st.integers(0, 1000), st.integers(1, 2))
def test_no_consistent_path_is_better_than_the_best(lengths: list[int], seed: int, kinds: int):
    bounds = bounds_of(lengths)
    scores = generator(seed).standard_normal((bounds[-1], 1 + 2 * kinds)).astype(np.float32)
    path, sure = best_path(scores, Packed.of(bounds))
    np.testing.assert_array_equal(sure, scores[np.arange(len(scores)), path])
    for begin, end in itertools.pairwise(bounds):
        own = scores[begin:end]
        every = itertools.product(range(1 + 2 * kinds), repeat=end - begin)
        best = max(
            sum(own[i, label] for i, label in enumerate(labels))
            for labels in every
            if consistent(labels, kinds)
        )
        found = tuple(path[begin:end].tolist())
        assert consistent(found, kinds)
        assert np.isclose(sum(own[i, label] for i, label in enumerate(found)), best, atol=1e-5)
