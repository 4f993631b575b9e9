"""Flat arrays: the same tokens back, by columns or one by one; broken files are refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Question
from cloze.errors import UserError
from cloze.files import read_json, write_json
from cloze.randomness import key_of
from cloze.readers.encode_points import encode_points
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import DTYPES, EncodedSplit
from cloze.readers.vocabulary import Vocabulary
from cloze.text import Text, marker_of
from tests.readers.points import VOCABULARY, Points, points_of, seeds


def corpus_of(directory: Path, points: Points, shards: int = 2) -> Corpus:
    for number in range(shards):
        write_shard(directory, "train", number, points[number::shards])
    write_manifest(directory, name="random", options={})
    return Corpus.open(directory)


def decoded(ids: np.ndarray, document: Document) -> list[str]:
    """Back to tokens, local entities to the corpus's own markers."""
    own = {4 + k: f"@entity{e.marker}" for k, e in enumerate(document.entities)}
    return [own.get(i, VOCABULARY.token(i)) for i in ids.tolist()]


def known(tokens: list[str]) -> list[str]:
    return [t if marker_of(t) >= 0 or VOCABULARY.id(t) != 1 else "<unknown>" for t in tokens]


@settings(max_examples=25)
@given(seed=seeds)
def test_tokens_come_back(seed: int) -> None:
    points = points_of(seed)
    split = encode_points(points, VOCABULARY)
    assert split.documents == len(points)
    question = 0
    for d, (document, asked) in enumerate(points):
        tokens = split.document_tokens[slice(*split.document_offsets[d : d + 2])]
        assert decoded(tokens, document) == known(document.context.tokens)
        assert split.document_entities[d] == len(document.entities)
        for q in asked:
            tokens = split.question_tokens[slice(*split.question_offsets[question : question + 2])]
            assert decoded(tokens, document) == known(q.query.tokens)
            assert split.question_document[question] == d
            assert document.entities[split.question_answer[question]].marker == q.answer
            assert split.question_keys[question] == key_of(q.id)
            question += 1
    assert question == len(split)


@settings(max_examples=10)
@given(seed=seeds)
def test_columns_and_objects_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("encoded")
    corpus = corpus_of(folder / "corpus", points_of(seed))
    split = encode_split(corpus, "train", VOCABULARY, folder / "train")
    same = encode_points(corpus.read("train"), VOCABULARY)
    for name, dtype in DTYPES.items():
        array = getattr(split, name)
        np.testing.assert_array_equal(array, getattr(same, name))
        assert array.dtype == dtype
    assert split.question_ids == [q.id for _, asked in corpus.read("train") for q in asked]
    np.testing.assert_array_equal(split.document_lengths, same.document_lengths)


@pytest.fixture
def encoded(tmp_path: Path) -> Path:
    corpus = corpus_of(tmp_path / "corpus", points_of(1))
    encode_split(corpus, "train", VOCABULARY, tmp_path / "train")
    return tmp_path / "train"


def shorten(directory: Path) -> None:
    path = directory / "document_tokens.npy"
    path.write_bytes(path.read_bytes()[:-4])


def lose(directory: Path) -> None:
    (directory / "question_keys.npy").unlink()


def resave(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def damage(directory: Path) -> None:
        path = directory / f"{name}.npy"
        np.save(path, change(np.load(path)))

    return damage


def old_format(directory: Path) -> None:
    write_json(directory / "meta.json", read_json(directory / "meta.json") | {"format": 0})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (shorten, "document_tokens.npy: is truncated"),
        (lose, "question_keys.npy: this file is missing"),
        (resave("question_offsets", lambda a: a + 1), "question_offsets.npy does not fit"),
        (resave("document_offsets", lambda a: a[:-1]), "document_offsets.npy does not fit"),
        (resave("question_answer", lambda a: a[:-1]), "differ in length"),
        (resave("question_document", lambda a: a + 99), "names a document that is not there"),
        (resave("document_entities", lambda a: a.astype(np.float32)), "holds float32"),
        (resave("document_offsets", lambda a: a[[0, 2, 1, *range(3, len(a))]]), "not increasing"),
        (old_format, "not an encoded split of format 1"),
    ],
)
def test_a_broken_split_is_refused(
    encoded: Path, damage: Callable[[Path], None], message: str
) -> None:
    EncodedSplit.open(encoded, VOCABULARY)
    damage(encoded)
    with pytest.raises(UserError, match=r"truncated|altered|missing|format 1"):
        EncodedSplit.open(encoded, VOCABULARY)
    meta = read_json(encoded / "meta.json")
    meta.pop("files")  # as it was once written
    write_json(encoded / "meta.json", meta)
    with pytest.raises(UserError, match=message):
        EncodedSplit.open(encoded, VOCABULARY)


def test_another_vocabulary_is_refused(encoded: Path) -> None:
    with pytest.raises(UserError, match="another vocabulary"):
        EncodedSplit.open(encoded, Vocabulary({"other": 1}, pool=8))


def test_no_array_is_ever_unpickled(encoded: Path) -> None:
    np.save(encoded / "question_keys.npy", np.asarray([{}]), allow_pickle=True)
    with pytest.raises(UserError, match=r"question_keys\.npy"):
        EncodedSplit.open(encoded)


def one(tokens: list[str], query: list[str], answer: int = 0, entities: int = 1) -> Points:
    own = tuple(Entity(k, f"name {k}") for k in range(entities))
    document = Document("the-document", Text(tokens, tokens, [1] * len(tokens)), own)
    question = Question(
        "the-question", "the-document", Text(query, query, [1] * len(query)), answer
    )
    return [(document, [question])]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (one([], ["@placeholder"]), "document the-document: has no tokens"),
        (one(["@entity0"], []), "question the-question: has no tokens"),
        (one(["@entity5"], ["@placeholder"]), "the-document: '@entity5' is not among"),
        (one(["@entity0"], ["@entity9"]), "the-question: '@entity9' is not among"),
        (one(["@entity0"], ["@placeholder"], entities=9), "9 entities but .* only 8 markers"),
    ],
)
def test_bad_texts_are_refused_both_ways(tmp_path: Path, points: Points, message: str) -> None:
    with pytest.raises(UserError, match=message):
        encode_points(points, VOCABULARY)
    corpus = corpus_of(tmp_path / "corpus", points, shards=1)
    with pytest.raises(UserError, match=message):
        encode_split(corpus, "train", VOCABULARY, tmp_path / "train")
    assert not (tmp_path / "train").exists()


def test_an_answer_that_is_no_entity_is_refused(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", one(["@entity0"], ["@placeholder"], answer=3), 1)
    with pytest.raises(UserError, match="the answer @entity3 is not among"):
        encode_split(corpus, "train", VOCABULARY, tmp_path / "train")


@pytest.mark.parametrize("documents", [0, 2])
def test_nothing_to_encode(tmp_path: Path, documents: int) -> None:
    points: Points = [(document, []) for document, _ in points_of(1)[:documents]]
    corpus = corpus_of(tmp_path / "corpus", points, shards=1)
    assert Vocabulary.from_corpus(corpus).pool >= 1
    split = encode_split(corpus, "train", VOCABULARY, tmp_path / "train")
    assert (len(split), split.documents) == (0, documents)
    assert split.question_ids == []
