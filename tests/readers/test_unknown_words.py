from pathlib import Path

import pytest

from cloze.readers.pieces import Pieces
from cloze.readers.unknown_words import unknown_words
from cloze.readers.vocabulary import Vocabulary
from cloze.text import Text
from tests.readers.tokenizers import tokenizer_file

TOKENS = "@entity0 bought the boat near @entity1 , \u9b5a @entity0 said".split()
TEXT = Text(TOKENS, TOKENS, [1] * len(TOKENS))


def unknown(vocabulary: Vocabulary | Pieces) -> list[str]:
    return [TOKENS[k] for k in unknown_words(vocabulary, TEXT)]


def test_words_that_the_vocabulary_lacks() -> None:
    known = Vocabulary({"bought": 3, "the": 2, "near": 2, ",": 9}, pool=5)
    assert unknown(known) == ["boat", "\u9b5a", "said"]


def test_a_text_without_words() -> None:
    text = Text(["@entity0"], ["Venn"], [0])
    assert unknown_words(Vocabulary({"a": 1}, pool=2), text) == []


@pytest.mark.parametrize("sort", ["wordpiece", "unigram"])
def test_pieces_that_a_tokenizer_lacks(sort: str, tmp_path: Path) -> None:
    pieces = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json", sort), 5)
    assert "\u9b5a" in unknown(pieces)
    assert "boat" not in unknown(pieces)


def test_bytes_know_everything(tmp_path: Path) -> None:
    pieces = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json", "bytes"), 5)
    assert unknown(pieces) == []
