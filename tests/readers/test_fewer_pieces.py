"""A reader of word pieces with fewer of them: what is kept, and how the rest is then cut."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cloze.errors import UserError
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.encode_split import encode_split
from cloze.readers.encoder import open_encoder
from cloze.readers.fewer_pieces import counted, fewer
from cloze.readers.pieces import Pieces
from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.registry import build
from cloze.readers.vocabulary import Vocabulary
from cloze.training.start import start_from
from tests.readers.cases import reader_config
from tests.readers.points import points_of
from tests.readers.test_encoded import corpus_of
from tests.readers.tokenizers import tokenizer_file

pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    path = tmp_path_factory.mktemp("pieces") / "tokenizer.json"
    return Pieces.of_tokenizer(tokenizer_file(path), pool=8)


def spelt(pieces: Pieces, word: str) -> list[str]:
    names = {number: piece for piece, number in pieces.tokenizer["model"]["vocab"].items()}
    return [names[i - pieces.first_word] for i in pieces.ids([word])[0].tolist()]


def counts_of(pieces: Pieces, *words: str) -> np.ndarray:
    ids = pieces.ids(list(words))[0] - pieces.first_word
    return np.bincount(ids, minlength=len(pieces) - pieces.first_word)


def test_a_word_whose_pieces_are_dropped_is_spelt_in_smaller_ones(pieces: Pieces) -> None:
    vocabulary = pieces.tokenizer["model"]["vocab"]
    long = [p for p in vocabulary if len(p.removeprefix("##")) > 1 and p[0] != "["]
    assert "the" in spelt(pieces, "the")
    least = len(vocabulary) - len(long)
    small, kept = fewer(pieces, counts_of(pieces, "the", "the"), least + 1)
    assert len(kept) == least + 1
    assert spelt(small, "the") == ["the"]
    for word in ("train", "bought", "today", "naïve"):
        found = spelt(small, word)
        assert "[UNK]" not in found
        assert "".join(p.removeprefix("##") for p in found) == word.replace("ï", "i")
    with pytest.raises(UserError, match="signs and single characters, which must stay"):
        fewer(pieces, counts_of(pieces, "the"), least - 1)


def test_a_word_whose_pieces_are_kept_is_cut_as_before(pieces: Pieces) -> None:
    words = ["train", "prize", "bought", "gate"]
    small, kept = fewer(pieces, counts_of(pieces, *words), len(pieces) - pieces.first_word - 3)
    assert len(kept) == len(small) - small.first_word
    for word in words:
        assert spelt(small, word) == spelt(pieces, word)
    assert small.piece("[SEP]") != -1


def test_other_sorts_of_pieces_are_refused(tmp_path: Path) -> None:
    other = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json", "bytes"), pool=2)
    with pytest.raises(UserError, match="'BPE' depend on each other"):
        fewer(other, np.ones(len(other) - other.first_word), 260)
    reader = Reader(reader_config("encoder", hidden_size=8), other)
    with pytest.raises(UserError, match="'BPE' depend on each other"):
        prune(reader, pieces_of=reader)


def test_the_embeddings_go_with_the_pieces(pieces: Pieces, tmp_path: Path) -> None:
    """Asked about texts of kept pieces, the smaller reader answers as the whole one did."""
    points = points_of(3)
    corpus = corpus_of(tmp_path / "corpus", points)
    encode_split(corpus, "train", pieces, tmp_path / "encoded" / "train")
    reader = Reader(reader_config("encoder", hidden_size=8, positions=64), pieces, seed=1)
    reader.notice = "MIT"
    small = prune(reader, len(pieces) - pieces.first_word - 5, encoded=tmp_path / "encoded")
    assert len(small.vocabulary) == len(pieces) - 5
    assert small.notice == "MIT"
    small.save_pretrained(tmp_path / "small")
    again = Reader.from_pretrained(tmp_path / "small")
    for before, after in zip(reader.answer(points), again.answer(points), strict=True):
        for a, b in zip(before, after, strict=True):
            assert a.candidates.tolist() == b.candidates.tolist()
            np.testing.assert_allclose(a.scores, b.scores, rtol=1e-4)


def test_the_pieces_of_another_reader(pieces: Pieces, tmp_path: Path) -> None:
    """They and fewer markers: a row goes with its piece, whatever its number."""
    config = reader_config("encoder", hidden_size=8, positions=64)
    reader = Reader(config, pieces, seed=1)
    few, kept = fewer(pieces, counts_of(pieces, "train"), len(pieces) - pieces.first_word - 5)
    other = Reader(config, Pieces(few.tokenizer, 6), seed=2)
    small = prune(reader, pieces_of=other)
    assert small.vocabulary.sha256 == other.vocabulary.sha256
    before, after = reader.network.embedding.weight, small.network.embedding.weight
    markers = other.vocabulary.first_word
    assert torch.equal(after[:markers], before[:markers])
    assert torch.equal(after[markers:], before[pieces.first_word + torch.from_numpy(kept)])
    with pytest.raises(UserError, match="has 5 of its word pieces, which the reader to prune"):
        prune(other, pieces_of=reader)
    with pytest.raises(UserError, match="has 8 markers, which the reader to prune has not"):
        prune(other, pieces_of=Reader(config, Pieces(few.tokenizer, 8)))
    with pytest.raises(UserError, match="both readers must read word pieces"):
        prune(reader, pieces_of=Reader(reader_config("attentive"), Vocabulary({"word": 1}, 8)))


def test_pieces_are_counted_in_either_form_of_an_encoded_corpus(tmp_path: Path) -> None:
    corpus_of(tmp_path / "corpus", points_of(3))
    tokenizer = tokenizer_file(tmp_path / "tokenizer.json")
    for name, size in (("arrays", None), ("parts", 1 << 20)):
        out = tmp_path / name
        encode_corpus(tmp_path / "corpus", out, tokenizer=tokenizer, pool=8, part_size=size)
    pieces = open_encoder(tmp_path / "arrays")
    assert isinstance(pieces, Pieces)
    found = counted(tmp_path / "parts", pieces)
    assert found.sum() > 0
    assert found.tolist() == counted(tmp_path / "arrays", pieces).tolist()
    with pytest.raises(UserError, match="is not an encoded corpus"):
        counted(tmp_path / "corpus", pieces)


def test_a_count_is_needed(pieces: Pieces) -> None:
    reader = Reader(reader_config("encoder", hidden_size=8), pieces)
    with pytest.raises(UserError, match="--counted-on"):
        prune(reader, 30)
    assert prune(reader) is reader
    assert torch.equal(
        prune(reader, 10**6).network.embedding.weight, reader.network.embedding.weight
    )


def test_a_corpus_in_the_pieces_of_a_model_can_go_on_from_it(
    pieces: Pieces, tmp_path: Path
) -> None:
    corpus_of(tmp_path / "corpus", points_of(3))
    config = reader_config("encoder", hidden_size=8, positions=64)
    reader = Reader(config, pieces, seed=1)
    reader.save_pretrained(tmp_path / "model", bits=8)
    encode_corpus(tmp_path / "corpus", tmp_path / "encoded", tokenizer=tmp_path / "model")
    encoder = open_encoder(tmp_path / "encoded")
    network = build(config, len(encoder), seed=2)
    taken = start_from(tmp_path / "model", network, encoder)
    assert sorted(taken) == sorted(name for name, _ in network.named_parameters())
