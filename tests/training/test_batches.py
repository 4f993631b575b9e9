"""Batches made ahead: the right ones, in order, shared among ranks, new markers each epoch."""

import pickle
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from cloze.readers.batch import Batch, collate
from cloze.training.batches import Feed, TrainingBatches, ValidationBatches
from cloze.training.data import open_encoded
from cloze.training.order import Order

CPU = torch.device("cpu")


def training(encoded: Path, **more: int) -> TrainingBatches:
    data = open_encoded(encoded)
    train = data.train
    entities = train.document_entities[train.question_document]
    order = Order(train.document_lengths, entities, batch=11, seed=3)
    draw = partial(collate, seed=3, pool=data.vocabulary.pool)
    return TrainingBatches(train, order, draw, **more)


def same(a: Batch, b: Batch) -> bool:
    return torch.equal(a.document, b.document) and torch.equal(a.answers, b.answers)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("ahead", [1, 5])
def test_the_feed_gives_each_step_its_own_batch(encoded: Path, threads: int, ahead: int) -> None:
    batches = training(encoded)
    feed = Feed(batches.plan, CPU, threads=threads, ahead=ahead)
    found = list(feed.over(range(4, 20)))
    feed.close()
    assert [step for step, _ in found] == list(range(4, 20))
    assert all(same(batch, batches.plan(step)()) for step, batch in found)


def test_waiting_for_a_batch_is_counted(encoded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that moves only by the seven seconds that the batch takes."""
    batches = training(encoded)
    now, asked = 0.0, threading.Event()

    def read_clock() -> float:
        asked.set()
        return now

    def plan(step: int):  # type: ignore[no-untyped-def]
        def make() -> Batch:
            nonlocal now
            assert asked.wait()
            now += 7.0
            return batches.plan(step)()

        return make

    monkeypatch.setattr("cloze.training.batches.perf_counter", read_clock)
    feed = Feed(plan, CPU, threads=1, ahead=1)
    assert len(list(feed.over([0]))) == 1
    feed.close()
    assert feed.waited == 7.0


def test_batches_are_made_before_they_are_asked_for(encoded: Path) -> None:
    made = threading.Semaphore(0)
    batches = training(encoded)

    def plan(step: int):  # type: ignore[no-untyped-def]
        def make() -> Batch:
            made.release()
            return batches.plan(step)()

        return make

    feed = Feed(plan, CPU, threads=1, ahead=4)
    steps = feed.over(range(100))
    next(steps)
    for _ in range(5):  # the one given out and four more
        assert made.acquire()
    feed.close()


def test_a_batch_that_cannot_be_made_is_told(encoded: Path) -> None:
    def plan(step: int):  # type: ignore[no-untyped-def]
        raise OSError("the disk went away")

    feed = Feed(plan, CPU, threads=1, ahead=2)
    with pytest.raises(OSError, match="went away"):
        list(feed.over(range(3)))
    feed.close()


def test_markers_are_new_each_epoch_and_each_question_has_its_own(encoded: Path) -> None:
    batches = training(encoded)
    first = batches.plan(0)()
    epoch = batches.order.locate(0).batches
    seen = {
        int(q): batch.answers[k].item()
        for step in range(epoch)
        for batch in [batches.plan(step)()]
        for k, q in enumerate(batches.questions(step))
    }
    again = {
        int(q): batch.answers[k].item()
        for step in range(epoch, 2 * epoch)
        for batch in [batches.plan(step)()]
        for k, q in enumerate(batches.questions(step))
    }
    assert seen.keys() == again.keys()
    assert np.mean([seen[q] != again[q] for q in seen]) > 0.4  # five markers: a fifth stay
    assert same(first, batches.plan(0)())


@pytest.mark.parametrize("ranks", [2, 3, 12])
def test_ranks_share_the_very_same_order(encoded: Path, ranks: int) -> None:
    whole = training(encoded)
    shares = [training(encoded, rank=r, ranks=ranks) for r in range(ranks)]
    for step in range(whole.order.locate(0).batches):
        parts = [s.questions(step) for s in shares if s.share(step) > 0]
        assert sorted(np.concatenate(parts)) == sorted(whole.questions(step))
        # The mean over ranks of (share × the rank's mean) is the batch's own mean.
        values = np.random.default_rng(step).random(len(whole.split))
        means = [s.share(step) * values[s.questions(step)].mean() for s in shares]
        assert np.mean(means) == pytest.approx(values[whole.questions(step)].mean())


def test_a_worker_maps_the_corpus_and_does_not_copy_it(encoded: Path) -> None:
    batches = training(encoded)
    data = pickle.dumps(batches)
    assert b"document_tokens" not in data
    assert same(pickle.loads(data).plan(3)(), batches.plan(3)())


def test_validation_reads_everything_once_and_always_alike(encoded: Path) -> None:
    valid = open_encoded(encoded).valid
    draw = partial(collate, seed=1, pool=5)
    made = ValidationBatches(valid, draw, batch=7, limit=None)
    assert sorted(np.concatenate(made.parts)) == list(range(len(valid)))
    assert same(made.plan(1)(), made.plan(1)())
    some = ValidationBatches(valid, draw, batch=7, limit=9)
    assert len(np.unique(np.concatenate(some.parts))) == 9
