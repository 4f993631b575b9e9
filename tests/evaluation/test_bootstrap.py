"""Intervals that keep their promise, on data whose truth is known."""

import numpy as np
import pytest

from cloze.evaluation.bootstrap import difference, interval


def _simulate(dice: np.random.Generator, documents: int, models: int = 1) -> tuple[np.ndarray, ...]:
    """Documents differ greatly in difficulty, so questions about one document are correlated.

    Returns what each model got right, then the number of each question's document.
    """
    asked = dice.integers(1, 6, documents)
    ease = dice.beta(0.8, 0.8, documents)  # mean 0.5, independent of how many are asked
    number = np.repeat(np.arange(documents), asked)
    return *(dice.random((models, len(number))) < ease[number]), number


def test_the_interval_holds_the_truth_95_times_in_100() -> None:
    dice, rounds = np.random.default_rng(5), 400
    over_documents = over_questions = 0
    for k in range(rounds):
        correct, number = _simulate(dice, 120)
        found = interval(correct, number, rounds=1000, seed=k)
        over_documents += found.low <= 0.5 <= found.high
        naive = interval(correct, np.arange(len(correct)), rounds=1000, seed=k)
        over_questions += naive.low <= 0.5 <= naive.high
    # The share of 400 draws at 0.95 is almost surely from 0.92 to 0.98 (2.8 standard deviations).
    assert 0.92 <= over_documents / rounds <= 0.98
    # If questions were taken as independent, the interval would be too narrow.
    assert over_questions / rounds < 0.90


def test_kinds_of_documents_stand_for_the_documents() -> None:
    """The same interval as from literally resampling documents, in plain code."""
    dice = np.random.default_rng(9)
    correct, number = _simulate(dice, 80)
    found = interval(correct, number, rounds=20_000)
    per_document = [correct[number == k] for k in range(80)]
    drawn = []
    for _ in range(4000):
        rows = np.concatenate([per_document[k] for k in dice.integers(0, 80, 80)])
        drawn.append(rows.mean())
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.006)
    assert found.high == pytest.approx(high, abs=0.006)


def test_equal_models_are_rarely_told_apart() -> None:
    dice, rounds = np.random.default_rng(3), 400
    found = []
    for k in range(rounds):
        correct, other, number = _simulate(dice, 60, models=2)
        found.append(difference(correct, other, number, rounds=500, seed=k).p)
    assert 0.02 <= np.mean(np.array(found) < 0.05) <= 0.09


def test_a_clear_difference_is_found_and_has_its_sign() -> None:
    dice = np.random.default_rng(4)
    correct, number = _simulate(dice, 200)
    worse = correct & (dice.random(len(correct)) < 0.8)
    found = difference(correct, worse, number)
    assert found.share > 0
    assert found.low > 0
    assert found.p < 0.001
    back = difference(worse, correct, number)
    assert back.share == pytest.approx(-found.share)
    assert back.p == pytest.approx(found.p, abs=0.001)


def test_a_model_against_itself() -> None:
    correct, number = _simulate(np.random.default_rng(1), 30)
    found = difference(correct, correct, number)
    assert (found.share, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_the_same_seed_gives_the_same_interval() -> None:
    correct, number = _simulate(np.random.default_rng(2), 50)
    assert interval(correct, number) == interval(correct, number)
