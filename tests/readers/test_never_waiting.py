"""A training step never asks the device for anything: the host runs ahead of a GPU.

Tensors on PyTorch's device `meta` have shapes and no content. What would have to wait for a GPU's
numbers to go on fails there at once.
"""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cloze.readers.batch import Sizes, collate
from cloze.readers.registry import build, config_of
from cloze.training.data import open_encoded
from cloze.training.objective import Objective
from cloze.training.reading_teacher import ReadingTeacher
from cloze.training.settings import TeacherSettings
from cloze.training.teacher import Teacher
from tests.readers.cases import SIZE, Example, batch_of
from tests.readers.test_packed import dense_attention
from tests.training.corpora import write_encoded

EXAMPLES = [Example([4, 9, 5, 10, 4], [2, 10], 4), Example([6, 9, 7, 9, 9, 9], [9, 2, 11], 7)]


@pytest.fixture
def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloze.readers.transformer.runs_on", lambda device: True)
    monkeypatch.setattr("cloze.readers.transformer.compiled", lambda function: function)
    monkeypatch.setattr("cloze.readers.transformer.attention", dense_attention)
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda device: False)  # meta knows no such
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())  # thing


@pytest.mark.usefixtures("as_on_a_gpu")
def test_a_step_of_the_encoder_reader_waits_for_nothing() -> None:
    config = config_of(
        {"kind": "encoder", "hidden_size": 16, "heads": 2, "relative_buckets": 8, "dropout": 0.0}
    )
    network = build(config, SIZE, seed=1).to("meta")
    batch = batch_of(EXAMPLES).to("meta")
    teacher = Teacher(np.zeros((2, 1), np.int16), np.full((2, 1), 99, np.uint8), 0.5)
    logits, _ = network(batch)
    value = Objective(config, teacher)(logits, batch, np.arange(2), np.array([False, True]))
    value.backward()  # type: ignore[no-untyped-call]
    assert logits.shape == batch.candidates.shape
    assert all(w.grad is not None for w in network.parameters() if w.requires_grad)
    with pytest.raises(RuntimeError, match="meta"):
        network(replace(batch, known=None))  # so it would be noticed


@pytest.mark.usefixtures("as_on_a_gpu")
def test_nor_does_one_beside_a_teacher_that_reads_too() -> None:
    shape = {"kind": "encoder", "hidden_size": 16, "heads": 2, "relative_buckets": 8}
    config = config_of({**shape, "layers": 3, "dropout": 0.0})
    pupil, other = (build(config, SIZE, seed=seed).to("meta") for seed in (1, 2))
    settings = TeacherSettings(reader=Path("it"), states=0.5, layers=((0, 1),))
    plain = batch_of(EXAMPLES)
    batch = replace(plain, unchanged=plain.question).to("meta")
    objective = Objective(config, ReadingTeacher(other.requires_grad_(False), settings))
    seen = objective.watch()
    logits, _ = pupil(batch, None, seen)
    value = objective(logits, batch, np.arange(2), np.array([False, True]), seen)
    value.backward()  # type: ignore[no-untyped-call]
    assert all(w.grad is not None for w in pupil.parameters() if w.requires_grad)


def test_the_host_knows_the_sizes_of_a_batch(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = open_encoded(write_encoded(tmp_path_factory.mktemp("tiny"), 8))
    for indices in (np.arange(7), np.array([3])):
        batch = collate(data.train, indices, seed=1, epoch=0, pool=data.vocabulary.pool)
        found, asked = batch.sizes, Sizes.of(batch)
        assert batch.known is not None
        assert torch.equal(found.documents, asked.documents)
        assert torch.equal(found.questions, asked.questions)
        marks = (batch.document >= 4) & (batch.document < data.vocabulary.first_word)
        assert found.mentions == asked.mentions == int(marks.sum(0).max())
        assert batch.to("meta").sizes is found
