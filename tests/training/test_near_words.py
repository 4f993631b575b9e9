"""Words near in meaning: which they are, and questions that are put in other words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cloze.config import check
from cloze.errors import UserError
from cloze.names.language import load_language
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.encoded import EncodedSplit
from cloze.readers.pieces import Pieces
from cloze.training import near_words
from cloze.training.near_words import LEAST, MOST, NearWords, same_stem
from cloze.training.noise import Noise
from cloze.training.settings import NoiseSettings, TrainSettings
from cloze.training.trainer import train
from tests.training.corpora import THINGS, write_corpus
from tests.training.test_workers import tensors

tokenizers: Any = pytest.importorskip("tokenizers")

POOL = 5
KEPT = ["the", "monday", "seven", "says", "ox", "US", "4th", "[UNK]", ".", "##ing", "##s"]
PLAIN = ["attack", "attacks", "assault", "raid", "court", "judge", "girl", "boy", "lamp", "boat"]
ENGLISH = load_language("en")


def tokenizer_file(path: Path, words: list[str]) -> Path:
    vocabulary = {word: number for number, word in enumerate(words)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    path = tmp_path_factory.mktemp("words") / "tokenizer.json"
    return Pieces.of_tokenizer(tokenizer_file(path, KEPT + PLAIN), POOL)


def embeddings_of(pieces: Pieces, seed: int = 0) -> torch.Tensor:
    """In so few dimensions that many words are near each other."""
    return torch.randn(len(pieces), 4, generator=torch.Generator().manual_seed(seed))


def near_by_hand(pieces: Pieces, rows: torch.Tensor) -> dict[str, list[str]]:
    """All pairs of words, one by one."""
    first = pieces.first_word
    words = {word: first + number for number, word in enumerate(KEPT + PLAIN)}
    own = rows.double().numpy()
    own = own - own[first:].mean(0)

    def cosine(a: str, b: str) -> float:
        x, y = own[words[a]], own[words[b]]
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))

    found = {}
    for word in PLAIN:
        others = [w for w in PLAIN if w != word and cosine(word, w) >= LEAST]
        others = [w for w in others if not same_stem(word, w)]
        found[word] = sorted(others, key=lambda w: -cosine(word, w))[:MOST]
    return found


@pytest.mark.parametrize("rows", [3, 512])
def test_the_nearest_words_of_other_stems(
    pieces: Pieces, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(near_words, "ROWS", rows)
    first = pieces.first_word
    spelt = dict(enumerate(KEPT + PLAIN, start=first))
    for seed in range(5):
        embeddings = embeddings_of(pieces, seed)
        made, expected = NearWords.of(pieces, embeddings, ENGLISH), near_by_hand(pieces, embeddings)
        for number, word in spelt.items():
            found = [spelt[i] for i in made.near[number, : made.count[number]]]
            assert found == expected.get(word, [])
        assert not made.count[:first].any()
        assert [spelt[i] for i in np.flatnonzero(made.goes_on)] == ["##ing", "##s"]
    assert "attacks" not in expected["attack"]


questions = st.lists(
    st.lists(st.integers(0, 4 + POOL + len(KEPT + PLAIN) - 1), max_size=12), min_size=1, max_size=5
)


def split_of(asked: list[list[int]]) -> EncodedSplit:
    """Questions of these ids, all about one article."""
    count = len(asked)
    return EncodedSplit(
        document_tokens=np.array([4, 5, 20], np.int32),
        document_offsets=np.array([0, 3]),
        document_entities=np.array([2], np.int32),
        question_tokens=np.array([i for own in asked for i in own], np.int32),
        question_offsets=np.cumsum([0, *map(len, asked)]),
        question_document=np.zeros(count, np.int32),
        question_answer=np.zeros(count, np.int32),
        question_keys=np.arange(count).astype(np.uint64),
    )


def asked_with(noise: Noise, asked: list[list[int]], epoch: int = 0) -> list[list[int]]:
    split, every = split_of(asked), np.arange(len(asked))
    made = noise.reworded(noise.put(split, every, split.question_document, epoch), epoch)
    return [own.tolist() for own in np.split(made.question_tokens, made.question_offsets[1:-1])]


def noise_of(pieces: Pieces, **settings: float) -> Noise:
    near = NearWords.of(pieces, embeddings_of(pieces), ENGLISH)
    made = Noise.of(NoiseSettings(**settings), 3, pieces, near)
    assert made is not None
    return made


@given(asked=questions, epoch=st.integers(0, 3))
def test_only_whole_words_change_and_only_into_near_ones(
    pieces: Pieces, asked: list[list[int]], epoch: int
) -> None:
    noise = noise_of(pieces, rephrased_questions=1.0, replaced_words=1.0)
    spelt = dict(enumerate(KEPT + PLAIN, start=pieces.first_word))
    near = near_by_hand(pieces, embeddings_of(pieces))
    for before, after in zip(asked, asked_with(noise, asked, epoch), strict=True):
        assert len(before) == len(after)
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            goes_on = spelt.get((before + [0])[place + 1], "").startswith("##")
            choice = [] if goes_on else near.get(spelt.get(old, ""), [])
            if choice:
                assert spelt[new] in choice
                assert not same_stem(spelt[new], spelt[old])
            else:
                assert new == old


@given(asked=questions, epoch=st.integers(0, 3))
def test_what_is_drawn_depends_on_the_question_alone(
    pieces: Pieces, asked: list[list[int]], epoch: int
) -> None:
    noise = noise_of(pieces, rephrased_questions=0.7, replaced_words=0.5)
    together = asked_with(noise, asked, epoch)
    assert asked_with(noise, asked, epoch) == together
    split = split_of(asked)
    for question in range(len(asked)):
        only = np.array([question])
        put = noise.put(split, only, split.question_document[only], epoch)
        alone = noise.reworded(put, epoch)
        assert alone.question_tokens.tolist() == together[question]


@given(asked=questions)
def test_switched_off_it_changes_nothing(pieces: Pieces, asked: list[list[int]]) -> None:
    assert asked_with(noise_of(pieces, rephrased_questions=0.0), asked) == asked
    assert asked_with(noise_of(pieces, rephrased_questions=1.0, replaced_words=0.0), asked) == asked
    poorer = {"poorer_questions": 0.5, "lost_words": 0.5}
    plain = Noise.of(NoiseSettings(**poorer), 3, pieces)
    assert plain is not None
    assert asked_with(noise_of(pieces, **poorer), asked) == asked_with(plain, asked)


def test_about_so_many_are_replaced(pieces: Pieces) -> None:
    noise = noise_of(pieces, rephrased_questions=0.35, replaced_words=0.6)
    word = int(np.flatnonzero(noise.near.count == noise.near.count.max())[0])
    seen: dict[int, int] = {}
    rephrased = 0
    for epoch in range(500):
        for own in asked_with(noise, [[2, word, 4, word]] * 4, epoch):
            rephrased += own[1] != word or own[3] != word
            for found in (own[1], own[3]):
                seen[found] = seen.get(found, 0) + 1
    kept = seen.pop(word)
    assert rephrased / 2000 == pytest.approx(0.35 * (1 - 0.4**2), abs=0.04)
    assert 1 - kept / 4000 == pytest.approx(0.35 * 0.6, abs=0.03)
    assert len(seen) == noise.near.count[word]
    assert min(seen.values()) > 0.7 * max(seen.values())  # about 210 of each of four


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny corpus in pieces, of which each word is one."""
    place = tmp_path_factory.mktemp("pieces")
    write_corpus(place / "corpus", 20)
    words = ["[UNK]", "bought", "the", "today", ".", *THINGS]
    tokenizer = tokenizer_file(place / "tokenizer.json", words)
    return encode_corpus(place / "corpus", place / "encoded", tokenizer=tokenizer, pool=8)


def settings_of(encoded: Path, out: Path, start: Path | None, **run: Any) -> TrainSettings:
    values = {
        "encoded": str(encoded),
        "out": str(out),
        "start_from": start,
        "reader": {"kind": "encoder", "hidden_size": 8, "heads": 2, "layers": 1, "positions": 64},
        "batches": {"size": 16},
        "optimiser": {"name": "adam", "learning_rate": 0.3},  # so that other words become near
        "noise": {"rephrased_questions": 0.5 if start else 0.0},
        "run": {"steps": 4, "validate_every": 2, "checkpoint_every": 2, "device": "cpu", **run},
    }
    return check(TrainSettings, values)


def test_a_run_in_other_words_goes_on_where_it_stood(encoded: Path, tmp_path: Path) -> None:
    """Resumed, it has moved its embeddings, but replaces the words that it began with."""
    train(settings_of(encoded, tmp_path / "before", None, steps=1, validate_every=1))
    start = tmp_path / "before" / "model"
    through = settings_of(encoded, tmp_path / "through", start)
    train(through)
    train(settings_of(encoded, tmp_path / "twice", start, steps=2))
    train(settings_of(encoded, tmp_path / "twice", start), resume=True)
    train(settings_of(encoded, tmp_path / "worker", start, workers=1))
    assert tensors(tmp_path / "twice") == tensors(tmp_path / "through")
    assert tensors(tmp_path / "worker") == tensors(tmp_path / "through")
    plain = through.model_copy(update={"out": tmp_path / "plain", "noise": NoiseSettings()})
    train(plain)
    assert tensors(tmp_path / "plain") != tensors(tmp_path / "through")


def test_it_needs_pieces_and_a_reader_that_has_learnt(encoded: Path, tmp_path: Path) -> None:
    values = settings_of(encoded, tmp_path / "run", None).as_json()
    values["noise"]["rephrased_questions"] = 0.5
    with pytest.raises(UserError, match=r"rephrased_questions: only a reader that has learnt"):
        train(check(TrainSettings, values))
    write_corpus(tmp_path / "corpus", 8)
    words = encode_corpus(tmp_path / "corpus", tmp_path / "words")
    with pytest.raises(UserError, match=r"rephrased_questions: only a reader of word pieces can"):
        train(check(TrainSettings, {**values, "encoded": str(words)}))
    assert not (tmp_path / "run" / "checkpoints").exists()
