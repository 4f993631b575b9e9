"""The order: every question once per epoch, random, reachable anywhere, with little padding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.errors import UserError
from cloze.training.order import Order, Stage, real_share


def order(questions: int = 100, batch: int = 8, seed: int = 1, **more: object) -> Order:
    rng = np.random.default_rng(questions)
    return Order(
        rng.integers(1, 60, questions),
        rng.integers(1, 9, questions),
        batch=batch,
        seed=seed,
        **more,  # type: ignore[arg-type]
    )


@given(
    questions=st.integers(1, 200),
    batch=st.integers(1, 40),
    seed=st.integers(0, 2**63 - 1),
    epoch=st.integers(0, 5),
    group=st.integers(1, 8),
)
def test_every_question_once_an_epoch(
    questions: int, batch: int, seed: int, epoch: int, group: int
) -> None:
    made = order(questions, batch, seed, group=group)
    batches = made.locate(0).batches
    steps = range(epoch * batches, (epoch + 1) * batches)
    seen = np.concatenate([made.questions(step) for step in steps])
    assert sorted(seen) == list(range(questions))
    assert all(made.locate(step).epoch == epoch for step in steps)


@given(questions=st.integers(1, 200), tokens=st.integers(1, 900), epoch=st.integers(0, 3))
def test_a_limit_of_tokens(questions: int, tokens: int, epoch: int) -> None:
    """Every question once an epoch, in as many batches, none above the limit if it can be kept."""
    lengths = np.random.default_rng(questions).integers(1, 500, questions)
    made = Order(lengths, np.ones(questions, int), batch=8, seed=3, tokens=tokens)
    batches = made.locate(0).batches
    steps = range(epoch * batches, (epoch + 1) * batches)
    cut = [made.questions(step) for step in steps]
    assert sorted(np.concatenate(cut)) == list(range(questions))
    for batch in cut:
        padded = len(batch) * lengths[batch].max()
        assert padded <= tokens or len(batch) == 1
    assert made.locate(batches * epoch).epoch == epoch
    assert made.steps_to_end_of_epoch(2) == 2 * batches


@pytest.mark.parametrize("tokens", [None, 200])
@pytest.mark.parametrize("curriculum", [(), (Stage(7, tokens=30), Stage(20, entities=4))])
def test_what_was_read_before_a_step(tokens: int | None, curriculum: tuple[Stage, ...]) -> None:
    made = order(tokens=tokens, curriculum=curriculum)
    total = 0
    for step in range(90):
        assert made.read_before(step) == total
        total += len(made.questions(step))
    assert made.read_before(-1) == 0


@pytest.mark.parametrize("tokens", [None, 200])
def test_a_step_is_reached_without_those_before(tokens: int | None) -> None:
    straight = order(tokens=tokens)
    expected = [straight.questions(step).tolist() for step in range(60)]
    for step in np.random.default_rng(0).permutation(60):
        assert order(tokens=tokens).questions(int(step)).tolist() == expected[step]


def test_epochs_and_seeds_differ() -> None:
    made = order()
    first = [made.questions(step).tolist() for step in range(13)]
    assert first != [made.questions(step).tolist() for step in range(13, 26)]
    assert first != [order(seed=2).questions(step).tolist() for step in range(13)]


def test_batches_are_not_in_order_of_length() -> None:
    made = order(6400, 8)
    means = [made.lengths[made.questions(step)].mean() for step in range(800)]
    assert abs(np.corrcoef(means, np.arange(800))[0, 1]) < 0.1


def test_little_padding_at_cnn_lengths() -> None:
    # A mean of 762 and at most 2,000 tokens, like the paper's CNN documents.
    lengths = np.random.default_rng(0).lognormal(np.log(680), 0.5, 40_000)
    made = Order(
        np.clip(lengths, 50, 2000).astype(np.int64),
        np.ones(40_000, np.int64),
        batch=32,
        seed=1,
    )
    assert 740 < made.lengths.mean() < 790
    assert real_share(made, 1250) >= 0.92


def test_curriculum_keeps_to_its_limits_and_never_repeats_an_epoch() -> None:
    stages = [Stage(7, tokens=20), Stage(30, entities=3)]
    made = order(curriculum=stages)
    for step in range(7):
        assert made.lengths[made.questions(step)].max() <= 20
    assert made.locate(7).stage == 1
    assert made.locate(37).stage == 2
    epochs = [made.locate(step).epoch for step in range(60)]
    assert epochs == sorted(epochs)
    assert made.locate(7).epoch > made.locate(6).epoch
    assert made.locate(37).position == 0
    everything = np.concatenate([made.questions(37 + k) for k in range(13)])
    assert sorted(everything) == list(range(100))
    assert made.steps_to_end_of_epoch(1) == 37 + 13


def test_a_curriculum_without_questions_is_told() -> None:
    with pytest.raises(UserError, match="no document has at most 0 tokens"):
        order(curriculum=[Stage(5, tokens=0)])
