"""Word pieces: cut by the tokenizer, with whole markers, and joined into tokens again."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from cloze.errors import UserError
from cloze.files import read_json, write_json
from cloze.readers.encode_points import encode_points
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import DTYPES, STARTS, EncodedSplit
from cloze.readers.encoder import open_encoder
from cloze.readers.pieces import Pieces
from cloze.readers.vocabulary import DELIMITER, FIRST_MARKER, GAP, UNKNOWN, Vocabulary
from cloze.text import marker_of
from tests.conftest import document_of, question_of
from tests.readers.points import Points, points_of, seeds
from tests.readers.test_encoded import corpus_of
from tests.readers.tokenizers import SORTS, tokenizer_file

pytest.importorskip("tokenizers")


@pytest.fixture(scope="session", params=SORTS)
def pieces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    path = tmp_path_factory.mktemp("pieces") / "tokenizer.json"
    return Pieces.of_tokenizer(tokenizer_file(path, request.param), pool=8)


def test_each_word_is_cut_as_the_tokenizer_cuts_it(pieces: Pieces) -> None:
    from tokenizers import Tokenizer

    whole = Tokenizer.from_str(json.dumps(pieces.tokenizer))
    whole.no_truncation()
    flat, counts = pieces.ids(["train", "@placeholder", "prize", "|||"])
    expected = [
        [pieces.first_word + i for i in whole.encode(f" {word}", add_special_tokens=False).ids]
        for word in ("train", "prize")
    ]
    assert flat.tolist() == [*expected[0], GAP, *expected[1], DELIMITER]
    assert counts.tolist() == [len(expected[0]), 1, len(expected[1]), 1]
    assert len(pieces) == pieces.first_word + whole.get_vocab_size()
    assert flat.max() < len(pieces)


def test_a_token_of_which_nothing_is_left_is_unknown(tmp_path: Path) -> None:
    pieces = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json"), pool=3)
    assert pieces.ids(["\u0000"])[0].tolist() == [UNKNOWN]


def test_a_word_begins_with_a_piece_that_can_begin_one(pieces: Pieces) -> None:
    words = ["train", "met", "prize", "lamp", "the", "a"]
    flat, counts = pieces.ids(words)
    for word, own in zip(words, np.split(flat, np.cumsum(counts)[:-1]), strict=True):
        first, *rest = own.tolist()
        assert word.startswith(pieces.beginnings[first])
        assert not pieces.beginnings.keys() & set(rest)
    assert len(flat) > len(words)


def text_of(split: EncodedSplit, kind: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    offsets, tokens = getattr(split, f"{kind}_offsets"), getattr(split, f"{kind}_tokens")
    own = slice(*offsets[number : number + 2])
    return tokens[own], getattr(split, f"{kind}_starts")[own]


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_the_pieces_of_a_text_are_those_of_its_tokens(pieces: Pieces, seed: int) -> None:
    points = points_of(seed)
    split = encode_points(points, pieces)
    for d, (document, _) in enumerate(points):
        ids, starts = text_of(split, "document", d)
        local = {e.marker: k for k, e in enumerate(document.entities)}
        expected = [
            [FIRST_MARKER + local[marker_of(token)]]
            if marker_of(token) >= 0
            else pieces.ids([token])[0].tolist()
            for token in document.context.tokens
        ]
        assert ids.tolist() == [i for own in expected for i in own]
        assert np.diff([*np.flatnonzero(starts), len(starts)]).tolist() == list(map(len, expected))


@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_columns_and_objects_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, pieces: Pieces, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("encoded")
    corpus = corpus_of(folder / "corpus", points_of(seed))
    split = encode_split(corpus, "train", pieces, folder / "train")
    same = encode_points(corpus.read("train"), pieces)
    for name, dtype in (DTYPES | STARTS).items():
        np.testing.assert_array_equal(getattr(split, name), getattr(same, name))
        assert getattr(split, name).dtype == dtype


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_attention_over_pieces_is_added_up_to_tokens(pieces: Pieces, seed: int) -> None:
    points = points_of(seed)
    split = encode_points(points, pieces)
    random = np.random.default_rng(seed)
    asked = [(document, question) for document, own in points for question in own]
    for k, (document, question) in enumerate(asked):
        pieces_d, starts = text_of(split, "document", int(split.question_document[k]))
        pieces_q, starts_q = text_of(split, "question", k)
        looked = random.random((len(pieces_q), len(pieces_d)))
        found = split.by_token(k, looked)
        assert found.shape == (len(question.query), len(document.context))
        token = np.cumsum(starts) - 1
        for row, last in zip(found, [*np.flatnonzero(starts_q)[1:], len(starts_q)], strict=True):
            np.testing.assert_allclose(row, np.bincount(token, weights=looked[last - 1]))
        np.testing.assert_allclose(split.by_token(k, looked[0]).sum(), looked[0].sum())


def test_a_question_of_whole_words_beside_a_document_of_pieces(pieces: Pieces) -> None:
    document = document_of("@entity1 naïve train")
    split = encode_points([(document, [question_of("@placeholder", 1, document)])], pieces)
    looked = np.ones((1, len(split.document_tokens)))
    assert split.by_token(0, looked).shape == (1, 3)


def test_an_encoder_is_saved_and_found_again(tmp_path: Path, pieces: Pieces) -> None:
    pieces.save(tmp_path / pieces.file)
    again = open_encoder(tmp_path)
    assert isinstance(again, Pieces)
    assert (again.sha256, again.pool, len(again)) == (pieces.sha256, 8, len(pieces))
    assert again.ids(["train"])[0].tolist() == pieces.ids(["train"])[0].tolist()
    other = tmp_path / "words"
    other.mkdir()
    Vocabulary({"a": 1}, 3).save(other / Vocabulary.file)
    assert isinstance(open_encoder(other), Vocabulary)


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    with pytest.raises(UserError, match=r"tokenizer\.json"):
        Pieces.of_tokenizer(path, 3)
    write_json(path, {"version": "1.0"})
    with pytest.raises(UserError, match=r"is not a tokenizer; give a file tokenizer\.json"):
        Pieces.of_tokenizer(path, 3)
    write_json(path, {"model": {"type": "None such"}})
    with pytest.raises(UserError, match="the tokenizer cannot be read"):
        Pieces.of_tokenizer(path, 3)
    write_json(path, {"format": 7})
    with pytest.raises(UserError, match="is not 'cloze word pieces, format 1'"):
        Pieces.load(path)


def test_arrays_of_pieces_that_do_not_fit_are_refused(tmp_path: Path, pieces: Pieces) -> None:
    points: Points = points_of(1)
    corpus = corpus_of(tmp_path / "corpus", points)
    split = encode_split(corpus, "train", pieces, tmp_path / "train")
    assert split.document_starts is not None
    assert read_json(tmp_path / "train" / "meta.json")["pieces"] is True
    np.save(tmp_path / "train" / "document_starts.npy", np.asarray(split.document_starts[:-1]))
    with pytest.raises(UserError, match=r"document_starts.npy: has \d+ bytes, its manifest says"):
        EncodedSplit.open(tmp_path / "train", pieces)
    head = read_json(tmp_path / "train" / "meta.json")
    del head["files"]  # as in folders that were encoded before the hashes were kept
    write_json(tmp_path / "train" / "meta.json", head)
    with pytest.raises(UserError, match=r"document_starts.npy does not fit document_tokens\.npy"):
        EncodedSplit.open(tmp_path / "train", pieces)
