"""Calibration against the same sums written out question by question."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.answering import Ranking
from cloze.confidence import Confidence, Level
from cloze.errors import UserError
from cloze.evaluation import calibration
from cloze.evaluation.metrics import Answers, load
from cloze.evaluation.predictions import About, write
from tests.evaluation.conftest import answers_of, press


def ragged(lists: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    return np.concatenate([np.zeros(0), *lists]), offsets


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum())


def overconfident(temperature: float, questions: int = 4000) -> tuple[list[np.ndarray], np.ndarray]:
    """Answers drawn from softmax(z), told as softmax(z * temperature), best first; their places."""
    dice = np.random.default_rng(4)
    told, places = [], []
    for _ in range(questions):
        logits = np.sort(dice.normal(0, 2, int(dice.integers(2, 12))))[::-1]
        places.append(1 + dice.choice(len(logits), p=softmax(logits)))
        told.append(softmax(logits * temperature).astype(np.float32))
    return told, np.array(places)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60),
)
def test_the_error_is_the_mean_gap_over_fifteen_bins(answers: list[tuple[float, bool]]) -> None:
    expected = 0.0
    for k in range(15):
        last = k == 14
        inside = [a for a in answers if k <= a[0] * 15 < k + 1 or (last and a[0] == 1)]
        if inside:
            sure = sum(p for p, _ in inside) / len(inside)
            right = sum(r for _, r in inside) / len(inside)
            expected += len(inside) / len(answers) * abs(sure - right)
    confidence, correct = np.array([p for p, _ in answers]), np.array([r for _, r in answers])
    assert calibration.calibration_error(confidence, correct) == pytest.approx(expected, abs=1e-12)


def test_few_answers_are_off_by_chance() -> None:
    """Of n answers in one bin, all of probability p, the share of right ones is off by about
    the mean absolute deviation of a binomial, sqrt(2 p (1 - p) / (pi n))."""
    for n in (100, 2500):
        found = calibration.error_by_chance(np.full(n, 0.9), rounds=400)
        assert found == pytest.approx(np.sqrt(2 * 0.9 * 0.1 / (np.pi * n)), rel=0.15)
    assert calibration.error_by_chance(np.ones(7)) == 0


def test_no_candidate_is_a_sure_mistake_that_was_foreseen() -> None:
    assert calibration.calibration_error(np.array([-np.inf]), np.array([False])) == 0


@given(
    st.lists(st.lists(st.floats(-30, 30), min_size=0, max_size=6), min_size=1, max_size=6),
    st.floats(0.1, 10),
)
def test_a_temperature_divides_the_logits(lists: list[list[float]], temperature: float) -> None:
    logits = [np.array(one, float) for one in lists]
    scores, offsets = ragged([softmax(one) if len(one) else one for one in logits])
    found = calibration.tempered(scores, offsets, temperature)
    for k, one in enumerate(logits):
        own = found[offsets[k] : offsets[k + 1]]
        if len(one):
            assert own == pytest.approx(softmax(one / temperature), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
def test_the_temperature_is_found_again(temperature: float) -> None:
    """Told too sure by a factor, the factor is what is fitted; a fine grid finds nothing better."""
    told, places = overconfident(temperature)
    scores, offsets = ragged(told)
    found = calibration.fit_temperature(scores, offsets, places)
    assert found == pytest.approx(temperature, rel=0.06)

    def loss(at: float) -> float:
        chances = [
            softmax(np.log(np.maximum(one.astype(float), 1e-38)) / at)[place - 1]
            for one, place in zip(told[:400], places[:400], strict=True)
        ]
        return float(-np.log(chances).mean())

    few = offsets[400]
    own = calibration.fit_temperature(scores[:few], offsets[:401], places[:400])
    assert loss(own) <= min(loss(at) for at in np.linspace(0.2, 4, 39)) + 1e-9


def test_a_question_without_its_answer_teaches_nothing() -> None:
    told, places = overconfident(1.5, 300)
    scores, offsets = ragged(told)
    hidden = np.where(np.arange(300) % 2, places, 0)
    half = [k for k in range(300) if k % 2]
    alone, alone_offsets = ragged([told[k] for k in half])
    assert calibration.fit_temperature(scores, offsets, hidden) == pytest.approx(
        calibration.fit_temperature(alone, alone_offsets, places[half]), rel=1e-4
    )
    with pytest.raises(UserError, match="nothing can be fitted"):
        calibration.fit_temperature(scores, offsets, np.zeros(300, int))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=400))
def test_surer_levels_are_righter(answers: list[tuple[float, bool]]) -> None:
    confidence, correct = np.array([p for p, _ in answers]), np.array([r for _, r in answers])
    found = calibration.levels(confidence, correct)
    assert sum(level.answers for level in found) == len(answers)
    assert sum(level.right for level in found) == correct.sum()
    for lower, upper in pairwise(found):
        assert lower.least < upper.least
        assert lower.share < upper.share
    assert all(level.answers >= min(30, len(answers)) for level in found)
    assert found[0].least == confidence.min()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    path = tmp_path_factory.mktemp("calibration") / "p.parquet"
    about = About("M", "press", "x", "valid", {"temperature": 2.0})
    write(path, about, answers_of(press(120, seed=2, longest=6), 0.6))
    return load(path)


def test_a_model_is_calibrated_from_its_predictions(model: Answers) -> None:
    found = calibration.calibrate(model)
    rows = model.source.columns.to_pylist()
    logs = [np.log(np.array(row["scores"], float)) for row in rows]
    factor = found.temperature / 2  # it had a temperature before
    chances = np.array([softmax(one / factor)[0] for one in logs])
    right = np.array([row["candidates"][0] == row["answer"] for row in rows])
    assert found.error == pytest.approx(calibration.calibration_error(chances, right), abs=1e-6)
    assert (found.corpus, found.split, found.questions) == ("press", "valid", len(rows))
    assert sum(level.right for level in found.levels) == right.sum()
    assert calibration.error_on_unseen(model) < 0.15


def test_counts_are_not_calibrated(tmp_path: Path) -> None:
    points = press(3)
    rank = Ranking(np.array([0, 1], np.int32), np.array([7, 2], np.float32))
    said = ((d, q, rank) for d, questions in points for q in questions)
    write(tmp_path / "p.parquet", About("Counts", "press", "x", "valid"), said)
    counts = load(tmp_path / "p.parquet")
    assert calibration.error_of(counts) is None
    with pytest.raises(UserError, match="are not probabilities"):
        calibration.calibrate(counts)


def test_what_a_probability_means() -> None:
    record = Confidence(
        temperature=1.2,
        corpus="cnn",
        split="valid",
        questions=300,
        error=0.01,
        levels=[
            Level(least=0.1, answers=100, right=40),
            Level(least=0.6, answers=100, right=71),
            Level(least=0.9, answers=100, right=97),
            Level(least=0.99, answers=100, right=100),
        ],
    )
    assert record.meaning(1.0) == "of answers this sure, over 99 % were right on CNN valid"
    said = "of answers this sure, 97 % were right on CNN valid"
    assert record.meaning(0.9) == record.meaning(0.98) == said
    assert record.meaning(0.89) == "of answers this sure, 71 % were right on CNN valid"
    for low in (0.59, 0.1, 0.0):
        assert not record.is_sure(low)
        assert record.meaning(low).startswith("not sure: of answers this sure, 40 %")
