"""Word vectors from a file become the first embeddings, and nothing else changes."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch

from cloze.errors import UserError
from cloze.readers.network import Network
from cloze.readers.pieces import Pieces
from cloze.readers.registry import build
from cloze.readers.vocabulary import Vocabulary
from cloze.training.vectors import start_from_vectors
from tests.readers.cases import KINDS, reader_config
from tests.readers.tokenizers import tokenizer_file

VOCABULARY = Vocabulary({"the": 9, "The": 7, "Paris": 5, "zebra": 3}, pool=2)
FILE = "paris 1 2 3\nunheard 7 7 7\nthe 0.5 -0.5 4e-1\n"


def network_of(kind: str) -> Network:
    return build(reader_config(kind, hidden_size=4, embedding_size=3), len(VOCABULARY), seed=1)


RECURRENT = [kind for kind in KINDS if kind != "encoder"]


@pytest.mark.parametrize("kind", RECURRENT)
@pytest.mark.parametrize("head", ["", "3 3\n"])
def test_words_take_their_vectors(kind: str, head: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress((head + FILE).encode()))
    network, before = network_of(kind), network_of(kind)
    assert start_from_vectors(path, network, VOCABULARY) == 3
    rows, drawn = network.read_rows()[0], before.read_rows()[0]
    given = {"the": [0.5, -0.5, 0.4], "The": [0.5, -0.5, 0.4], "Paris": [1, 2, 3]}
    for number in range(len(VOCABULARY)):
        vector = given.get(VOCABULARY.token(number), drawn[number].tolist())
        np.testing.assert_allclose(rows[number].detach(), vector, rtol=1e-6)
    others = [p for p in network.parameters() if p is not rows]
    for own, other in zip(others, [p for p in before.parameters() if p is not drawn], strict=True):
        assert torch.equal(own, other)


@pytest.mark.parametrize("order", ["The 1 1 1\nthe 2 2 2\n", "the 2 2 2\nThe 1 1 1\n"])
def test_the_spelling_as_written_comes_first(order: str, tmp_path: Path) -> None:
    (tmp_path / "v").write_text(order)
    network = network_of("attentive")
    start_from_vectors(tmp_path / "v", network, VOCABULARY)
    rows = network.read_rows()[0]
    assert rows[VOCABULARY.id("The"), 0] == 1
    assert rows[VOCABULARY.id("the"), 0] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "the 1 2\n",
            r"v:1: has 2 numbers, the reader's embeddings 3; set reader.embedding_size=2",
        ),
        ("a 1 2 3\nthe 1 x 3\n", "v:2: is not a word and its numbers"),
        ("the 1 nan 3\n", "v:1: holds a number that is not finite"),
        ("unheard 1 2 3\n", "a vector for none of the vocabulary's words"),
        ("", "a vector for none of the vocabulary's words"),
    ],
)
def test_bad_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "v").write_text(text)
    with pytest.raises(UserError, match=message):
        start_from_vectors(tmp_path / "v", network_of("stanford"), VOCABULARY)


def test_pieces_have_no_vectors(tmp_path: Path) -> None:
    pieces = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json"), 2)
    with pytest.raises(UserError, match="are for readers of words"):
        start_from_vectors(tmp_path / "v", network_of("stanford"), pieces)
