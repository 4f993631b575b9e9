"""Questions made harder in training: which, how, and what is learnt from them."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cloze.config import check
from cloze.readers.batch import collate
from cloze.readers.encoded import EncodedSplit
from cloze.readers.registry import config_of
from cloze.readers.vocabulary import FIRST_MARKER, GAP, PADDING, UNKNOWN
from cloze.training.batches import TrainingBatches
from cloze.training.data import open_encoded
from cloze.training.noise import Noise
from cloze.training.objective import Objective, sureness
from cloze.training.order import Order
from cloze.training.settings import NoiseSettings, TrainSettings
from cloze.training.teacher import Teacher
from cloze.training.trainer import train
from tests.readers.cases import Example, batch_of
from tests.training.test_workers import tensors

SEED = 3


def batches(encoded: Path, ranks: int = 1, rank: int = 0, **noise: float) -> TrainingBatches:
    data = open_encoded(encoded)
    train = data.train
    entities = train.document_entities[train.question_document]
    order = Order(train.document_lengths, entities, batch=20, seed=SEED)
    made = Noise.of(NoiseSettings(**noise), SEED, data.vocabulary)
    draw = partial(collate, seed=SEED, pool=data.vocabulary.pool)
    return TrainingBatches(train, order, draw, rank=rank, ranks=ranks, noise=made)


def words(split: EncodedSplit, question: int) -> list[int]:
    own = slice(*split.question_offsets[question : question + 2])
    found: list[int] = split.question_tokens[own].tolist()
    return found


def test_without_noise_there_is_none(encoded: Path) -> None:
    assert Noise.of(NoiseSettings(), 1, open_encoded(encoded).vocabulary) is None
    assert batches(encoded).wrong(0) is None


def test_about_so_many_are_put_to_another_article(encoded: Path) -> None:
    made = batches(encoded, wrong_articles=0.3)
    steps = range(400)
    wrong = np.concatenate([made.wrong(step) for step in steps])
    assert wrong.mean() == pytest.approx(0.3, abs=0.02)  # 8,000 draws: a deviation is 0.005
    for step in (0, 5):
        questions, articles = made.questions(step), made.documents(step)
        own = made.split.question_document[questions]
        assert set(articles) <= set(own)
        batch = made.plan(step)()
        assert (batch.answers == PADDING).tolist() == made.wrong(step).tolist()
        for k, article in enumerate(articles):
            tokens = slice(*made.split.document_offsets[article : article + 2])
            stored = made.split.document_tokens[tokens]
            found = batch.document[: len(stored), k].numpy()
            assert batch.document_lengths[k] == len(stored)
            is_word = stored >= FIRST_MARKER + made.noise.pool
            assert (found[is_word] == stored[is_word]).all()


def test_the_same_is_drawn_each_time_and_other_things_each_epoch(encoded: Path) -> None:
    made, again = (batches(encoded, wrong_articles=0.3, poorer_questions=0.5) for _ in range(2))
    a, b = made.plan(7)(), again.plan(7)()
    assert torch.equal(a.document, b.document)
    assert torch.equal(a.question, b.question)
    split, every = made.split, np.arange(40)
    first, second = (made.noise.articles(split, every, epoch) for epoch in (0, 1))
    assert first.tolist() != second.tolist()


def test_ranks_put_questions_to_the_articles_that_one_process_would(encoded: Path) -> None:
    whole = batches(encoded, wrong_articles=0.4)
    for step in range(3):
        alone = dict(zip(whole.questions(step), whole.documents(step), strict=True))
        for rank in range(3):
            own = batches(encoded, 3, rank, wrong_articles=0.4)
            for question, article in zip(own.questions(step), own.documents(step), strict=True):
                assert alone[question] == article


def test_poorer_questions_lose_words_and_nothing_else(encoded: Path) -> None:
    made = batches(encoded, poorer_questions=0.5, lost_words=0.4)
    split, total, lost, poorer = made.split, 0, 0, 0
    every = np.arange(len(split))
    for epoch in range(40):
        put = made.noise.put(split, every, split.question_document, epoch)
        harder = made.noise.reworded(put, epoch)
        for question in every:
            before, after = words(split, question), words(harder, question)
            changed = [b for b, a in zip(before, after, strict=True) if a != b]
            assert all(a in (b, UNKNOWN) for b, a in zip(before, after, strict=True))
            assert GAP in after
            total, lost, poorer = total + 3, lost + len(changed), poorer + bool(changed)
    assert poorer / (40 * len(every)) == pytest.approx(0.5 * (1 - 0.6**3), abs=0.04)
    assert lost / total == pytest.approx(0.5 * 0.4, abs=0.02)


def test_names_of_a_question_are_names_of_the_wrong_article() -> None:
    """Whoever the question names is somebody of that article, or a stranger to it."""
    split = EncodedSplit(
        document_tokens=np.array([4, 5, 6, 30, 4, 31], np.int32),
        document_offsets=np.array([0, 4, 6]),
        document_entities=np.array([3, 1], np.int32),
        question_tokens=np.array([2, 6, 32, 5, 2, 4], np.int32),
        question_offsets=np.array([0, 4, 6]),
        question_document=np.array([0, 1], np.int32),
        question_answer=np.array([0, 0], np.int32),
        question_keys=np.array([11, 12], np.uint64),
    )
    noise = Noise(NoiseSettings(wrong_articles=0.5), 1, pool=20, unknown=1)
    seen = set()
    for epoch in range(60):
        made = noise.put(split, np.array([0, 1]), np.array([1, 1]), epoch)
        assert made.document_entities.tolist() == [5, 1]
        assert made.question_answer.tolist() == [-1, 0]
        assert words(made, 1) == [2, 4]
        gap, first, word, second = words(made, 0)
        assert (gap, word) == (2, 32)
        seen |= {first, second}
        batch = collate(made, np.array([0, 1]), seed=1, epoch=epoch, pool=None)
        assert batch.candidates.shape == (2, 1)
    assert seen == {4, 5, 6, 7, 8}
    few = Noise(NoiseSettings(wrong_articles=0.5), 1, pool=3, unknown=1)
    assert few.put(split, np.array([1]), np.array([0]), 0).document_entities.tolist() == [3]


def test_a_misled_reader_is_to_be_unsure() -> None:
    logits = torch.tensor([[0.0, 0.0, float("-inf")], [9.0, 1.0, 1.0]], requires_grad=True)
    found = sureness(logits)
    p = np.exp(9) / (np.exp(9) + 2 * np.exp(1))
    assert found.tolist() == pytest.approx([-np.log(0.501), -np.log(1.001 - p)], rel=1e-5)
    nobody = torch.full((1, 2), float("-inf"), requires_grad=True)
    sureness(nobody).sum().backward()  # type: ignore[no-untyped-call]
    assert nobody.grad is not None
    assert torch.equal(nobody.grad, torch.zeros(1, 2))


def test_the_mean_runs_over_all_that_something_is_learnt_from() -> None:
    """One question with an answer, one that misleads, one that the teacher was not asked, one that
    it was; and one of which nothing is known."""
    own = [[4, 5], [4, 5], [4, 5], [4, 5], [4, 5]]
    batch = batch_of([Example(d, [2], a) for d, a in zip(own, [4, 0, 5, 4, 0], strict=True)])
    logits = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.5, 0.0], [0.0, 0.0], [3.0, 1.0]])
    said = np.array([[0], [0], [0], [1], [0]], np.int16)
    sure = np.array([[0], [255], [0], [51], [0]], np.uint8)
    objective = Objective(config_of({"kind": "attention-sum"}), Teacher(said, sure, 0.75))
    wrong = np.array([False, True, False, False, False])
    found = objective(logits, batch, np.arange(5), wrong)

    def log_p(a: float, b: float) -> float:
        return float(a - np.logaddexp(a, b))

    taught = -0.25 * log_p(0, 0) - 0.75 * (0.2 * np.log(0.5) + 0.8 * np.log(0.5))
    misled = -np.log(1.001 - np.exp(log_p(2, 0)))
    expected = (-log_p(1, 0) + misled - log_p(0, 0.5) + taught) / 4
    assert found.item() == pytest.approx(expected, rel=1e-5)


def settings_of(encoded: Path, out: Path, **run: Any) -> TrainSettings:
    values = {
        "encoded": str(encoded),
        "out": str(out),
        "reader": {"kind": "attention-sum", "hidden_size": 4, "embedding_size": 4},
        "batches": {"size": 16},
        "noise": {"wrong_articles": 0.3, "poorer_questions": 0.5},
        "run": {"steps": 4, "validate_every": 2, "checkpoint_every": 2, "device": "cpu", **run},
    }
    return check(TrainSettings, values)


def test_a_run_with_noise_goes_on_where_it_stood(encoded: Path, tmp_path: Path) -> None:
    train(settings_of(encoded, tmp_path / "through"))
    train(settings_of(encoded, tmp_path / "twice", steps=2))
    train(settings_of(encoded, tmp_path / "twice"), resume=True)
    train(settings_of(encoded, tmp_path / "worker", workers=1))
    assert tensors(tmp_path / "twice") == tensors(tmp_path / "through")
    assert tensors(tmp_path / "worker") == tensors(tmp_path / "through")
