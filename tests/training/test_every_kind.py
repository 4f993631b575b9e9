"""The whole life of a reader of each registered kind, with words and with word pieces."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from cloze.answering import answers
from cloze.config import check
from cloze.corpus.store import Corpus
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.reader import Reader
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train
from tests.conftest import document_of, question_of
from tests.readers.cases import KINDS, reader_config
from tests.readers.tokenizers import tokenizer_file
from tests.training.corpora import write_corpus

pytestmark = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module", params=["words", "pieces"])
def encoded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    write_corpus(folder / "corpus", documents=12)
    pieces = request.param == "pieces"
    tokenizer = tokenizer_file(folder / "tokenizer.json") if pieces else None
    return encode_corpus(folder / "corpus", folder / "encoded", tokenizer=tokenizer)


def small(kind: str) -> dict[str, Any]:
    sizes = {"hidden_size": 4, "embedding_size": 4, "dropout": 0.2}
    known = type(reader_config(kind)).model_fields
    return {"kind": kind} | {key: value for key, value in sizes.items() if key in known}


def trained(kind: str, encoded: Path, out: Path, steps: int, *, resume: bool = False) -> Reader:
    run = {"steps": steps, "validate_every": 2, "checkpoint_every": 2, "device": "cpu"}
    settings = {"encoded": encoded, "out": out, "reader": small(kind), "run": run}
    train(check(TrainSettings, settings), resume=resume)
    return Reader.from_pretrained(out / "model")


def test_it_trains_is_saved_and_answers(kind: str, encoded: Path, tmp_path: Path) -> None:
    reader = trained(kind, encoded, tmp_path / "run", steps=3)
    assert reader.config.kind == kind
    corpus = Corpus.open(encoded.parent / "corpus")
    reader.batch_size = 5
    for document, questions, rankings in answers(reader, corpus.read("valid"), attention=True):
        for question, ranking in zip(questions, rankings, strict=True):
            assert set(ranking.candidates) == set(document.candidates())
            assert ranking.scores.sum() == pytest.approx(1.0, abs=1e-5)
            if ranking.attention is not None:  # of a word cut into pieces, all of them together
                width = (len(question.query),) * (ranking.attention.ndim - 1)
                assert ranking.attention.shape == (*width, len(document.context))
                np.testing.assert_allclose(ranking.attention.sum(-1), 1.0, rtol=1e-4)


def test_a_resumed_run_is_the_undisturbed_one(kind: str, encoded: Path, tmp_path: Path) -> None:
    trained(kind, encoded, tmp_path / "whole", steps=4)
    trained(kind, encoded, tmp_path / "parts", steps=2)
    trained(kind, encoded, tmp_path / "parts", steps=4, resume=True)
    last = "checkpoints/step-00000004/weights.safetensors"
    whole, parts = (load_file(tmp_path / name / last) for name in ("whole", "parts"))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_without_a_candidate_there_is_no_answer(kind: str, encoded: Path, tmp_path: Path) -> None:
    reader = trained(kind, encoded, tmp_path / "run", steps=1)
    document = document_of("nobody bought the lamp today .")
    ranking = reader.answer_one(document, question_of("@placeholder bought the lamp", 0, document))
    assert (ranking.answer, len(ranking.scores)) == (-1, 0)
