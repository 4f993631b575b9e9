"""Ids in order, counts as plain Python counts them, and a file that is read back or refused."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Question
from cloze.errors import UserError
from cloze.readers.vocabulary import Vocabulary
from cloze.text import Text

LITTLE = Vocabulary({"the": 9, "b": 4, "a": 4, "rare": 1}, pool=3)


def test_ids_in_their_order() -> None:
    tokens = [LITTLE.token(k) for k in range(len(LITTLE))]
    assert tokens == [
        *("<padding>", "<unknown>", "@placeholder", "|||"),
        *("@entity0", "@entity1", "@entity2"),
        *("the", "a", "b", "rare"),
    ]
    assert [LITTLE.id(token) for token in tokens[2:]] == list(range(2, len(LITTLE)))
    assert LITTLE.id("nobody") == LITTLE.id("@entity3") == LITTLE.id("<padding>") == 1


def test_minimum_count_and_maximum_size() -> None:
    counts = {"the": 9, "b": 4, "a": 4, "rare": 1}
    assert Vocabulary(counts, 1, minimum_count=4).words == ["the", "a", "b"]
    assert Vocabulary(counts, 1, maximum_words=2).words == ["the", "a"]


def test_counts_are_those_of_plain_python(make_corpus: Callable[..., Path]) -> None:
    corpus = Corpus.open(make_corpus(documents=5))
    counts: Counter[str] = Counter()
    for document, asked in corpus.read("train"):
        counts.update(document.context.tokens)
        for question in asked:
            counts.update(question.query.tokens)
    made = Vocabulary.from_corpus(corpus)
    words = {w: c for w, c in counts.items() if not w.startswith("@")}
    assert dict(zip(made.words, made.counts, strict=True)) == words
    assert made.pool == 3
    assert Vocabulary.from_corpus(corpus, pool=50).pool == 50


def test_the_pool_holds_the_documents_of_every_split(tmp_path: Path) -> None:
    def point(entities: int) -> tuple[Document, list[Question]]:
        text = Text(["@entity0"], ["A"], [0])
        own = tuple(Entity(k, f"name {k}") for k in range(entities))
        return Document("d", text, own), []

    write_shard(tmp_path, "train", 0, [point(2)])
    write_shard(tmp_path, "test", 0, [point(7)])
    write_manifest(tmp_path, name="pools", options={})
    assert Vocabulary.from_corpus(Corpus.open(tmp_path)).pool == 7


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \n"), min_size=1)


@given(counts=st.dictionaries(words, st.integers(1, 10**9)), pool=st.integers(1, 700))
def test_saved_and_loaded(
    tmp_path_factory: pytest.TempPathFactory, counts: dict[str, int], pool: int
) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.txt"
    made = Vocabulary(counts, pool)
    made.save(path)
    again = Vocabulary.load(path)
    assert (again.words, again.counts, again.pool) == (made.words, made.counts, made.pool)
    assert again.sha256 == made.sha256


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: "", "not a vocabulary"),
        (lambda text: text.replace("format 1", "format 9"), "not a vocabulary"),
        (lambda text: text.replace("3 markers", "many markers"), "second line"),
        (lambda text: text[:-3], "promises 4 words"),
        (lambda text: text[:40], "second line"),
        (lambda text: text.replace("b\t4", "b\t" + "4" * 5000), "is not a word"),
        (lambda text: text + "more\t1\n", "promises 4 words, but 5 lines"),
        (lambda text: text.replace("b\t4", "b 4"), ":5: is not a word, a tab and a count"),
        (lambda text: text.replace("b\t4", "a\t4"), "the same word twice"),
        (lambda text: text.replace("b\t4", "@entity5\t4"), "is not a word"),
    ],
)
def test_a_damaged_file_is_refused(
    tmp_path: Path, damage: Callable[[str], str], message: str
) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_text(damage(LITTLE.text), encoding="utf-8", newline="\n")
    with pytest.raises(UserError, match=message):
        Vocabulary.load(path)


def test_not_text_and_not_there(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="UTF-8"):
        Vocabulary.load(tmp_path / "binary")
    with pytest.raises(UserError, match="no such"):
        Vocabulary.load(tmp_path / "nothing")
