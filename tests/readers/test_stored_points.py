"""Answers from encoded arrays equal answers from the texts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.readers.encode_points import encode_points
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import DTYPES, STARTS
from cloze.readers.encoder import Encoder
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.stored_points import StoredPoints
from cloze.readers.vocabulary import Vocabulary
from tests.readers.cases import reader_config
from tests.readers.points import VOCABULARY, points_of
from tests.readers.test_encoded import corpus_of
from tests.readers.tokenizers import tokenizer_file


@pytest.fixture(params=["words", "pieces"])
def encoder(request: pytest.FixtureRequest, tmp_path: Path) -> Encoder:
    if request.param == "words":
        return VOCABULARY
    return Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json"), pool=8)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path / "corpus", points_of(4, documents=12))


def test_any_points_are_found_in_any_order(
    tmp_path: Path, corpus: Corpus, encoder: Encoder
) -> None:
    stored = StoredPoints(encode_split(corpus, "train", encoder, tmp_path / "train"))
    points = [(document, asked[::-1]) for document, asked in corpus.read("train")][::-2]
    found, expected = stored(points), encode_points(points, encoder)
    for name, dtype in (DTYPES if encoder.whole else DTYPES | STARTS).items():
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert getattr(found, name).dtype == dtype


@pytest.mark.parametrize("kind", ["attentive", "impatient"])
def test_a_reader_answers_alike(
    tmp_path: Path, corpus: Corpus, encoder: Encoder, kind: str
) -> None:
    encode_split(corpus, "train", encoder, tmp_path / "train")
    reader = Reader(reader_config(kind, hidden_size=4), encoder, batch_size=3)
    points = list(corpus.read("train"))
    plain = list(reader.answer(points, seed=2, attention=True))
    reader.use_encoded(tmp_path / "train")
    for one, other in zip(plain, reader.answer(points, seed=2, attention=True), strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.candidates.tolist() == b.candidates.tolist()
            np.testing.assert_array_equal(a.scores, b.scores)
            np.testing.assert_array_equal(a.attention, b.attention)


def test_what_was_not_encoded_is_refused(tmp_path: Path, corpus: Corpus) -> None:
    encode_split(corpus, "train", VOCABULARY, tmp_path / "train")
    reader = Reader(reader_config(hidden_size=4), VOCABULARY)
    reader.use_encoded(tmp_path / "train")
    document, asked = next(point for point in corpus.read("train") if point[1])
    with pytest.raises(UserError, match="the document other is not among the encoded ones"):
        next(reader.answer([(replace(document, id="other"), asked)]))
    with pytest.raises(UserError, match="the question other is not among the encoded ones"):
        next(reader.answer([(document, [replace(asked[0], id="other")])]))
    longer = replace(document, context=replace(document.context, tokens=["a"] * 50))
    with pytest.raises(UserError, match="has changed since it was encoded"):
        next(reader.answer([(longer, asked)]))
    with pytest.raises(UserError, match="encoded with another vocabulary"):
        Reader(reader_config(hidden_size=4), Vocabulary({"a": 1}, 8)).use_encoded(
            tmp_path / "train"
        )
