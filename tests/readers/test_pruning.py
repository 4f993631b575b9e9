from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.vocabulary import UNKNOWN, Vocabulary
from tests.commands.world import run
from tests.conftest import document_of, question_of
from tests.readers.cases import reader_config

COUNTS = {"the": 9, "train": 5, "met": 4, "rare": 2, "rarer": 1}


@pytest.mark.parametrize("kind", ["attentive", "uniform", "impatient", "deep-lstm"])
def test_a_text_of_kept_words_is_read_as_before(kind: str) -> None:
    config = reader_config(kind=kind, hidden_size=4, markers="document")
    reader = Reader(config, Vocabulary(COUNTS, pool=5), seed=3)
    small = prune(reader, 3)
    assert small.vocabulary.words == ["the", "train", "met"]
    document = document_of("the @entity0 train met @entity1 the @entity2")
    question = question_of("the @placeholder met @entity1", 0, document)
    before, after = reader.answer_one(document, question), small.answer_one(document, question)
    assert before.candidates.tolist() == after.candidates.tolist()
    assert before.scores.tolist() == pytest.approx(after.scores.tolist(), rel=1e-6)


def test_the_unknown_word_is_the_mean_of_those_that_went() -> None:
    reader = Reader(reader_config(hidden_size=4), Vocabulary(COUNTS, pool=5), seed=3)
    weight = reader.network.embedding.weight
    rare, rarer = (weight[reader.vocabulary.id(word)] for word in ("rare", "rarer"))
    small = prune(reader, 3)
    torch.testing.assert_close(small.network.embedding.weight[UNKNOWN], (2 * rare + rarer) / 3)
    assert small.vocabulary.id("rare") == UNKNOWN


def test_a_reader_of_few_words_keeps_them_all() -> None:
    reader = Reader(reader_config(hidden_size=4), Vocabulary(COUNTS, pool=5))
    assert prune(reader, 5) is reader
    assert prune(reader, 20_000) is reader
    assert prune(reader, 4).vocabulary.words == ["the", "train", "met", "rare"]


@pytest.mark.parametrize("kind", ["attentive", "uniform", "impatient", "deep-lstm"])
def test_names_only_ranks_the_names_as_before_in_half_the_rows(kind: str, tmp_path: Path) -> None:
    config = reader_config(kind=kind, hidden_size=4, markers="document")
    reader = Reader(config, Vocabulary(COUNTS, pool=5), seed=3)
    prune(reader, 3, names_only=True).save_pretrained(tmp_path / "small")
    small = Reader.from_pretrained(tmp_path / "small")
    assert load_file(tmp_path / "small" / "model.safetensors")["answer.weight"].shape[0] == 4 + 5
    document = document_of("the @entity0 train met @entity1 the @entity2")
    question = question_of("the @placeholder met @entity1", 0, document)
    before, after = reader.answer_one(document, question), small.answer_one(document, question)
    assert before.candidates.tolist() == after.candidates.tolist()
    assert before.scores.tolist() == pytest.approx(after.scores.tolist(), rel=1e-5)


def test_a_reader_that_ships_is_pruned_by_its_name(tmp_path: Path) -> None:
    run(["prune", "attentive", tmp_path / "less", "--words", 50])
    assert len(Reader.from_pretrained(tmp_path / "less").vocabulary.words) == 50
