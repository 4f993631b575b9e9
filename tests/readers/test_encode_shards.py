"""A corpus encoded in shares, on any machine and in any order, has the bytes of one process."""

import random
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.builder.sharded import versions
from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.engines.processes import on_processes
from cloze.errors import UserError
from cloze.newsroom import corpus as newsroom
from cloze.readers import encode_shards
from cloze.readers.encode_corpus import Encoding, encode_corpus, tokenizer_in
from cloze.readers.encode_shards import encode_on, encode_share
from cloze.readers.pieces import Pieces
from cloze.readers.shipped_models import shipped_model
from tests.builder.newsroom_source import all_bytes
from tests.readers.tokenizers import tokenizer_file

HERE = on_processes(1)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four shards of train, two of valid and two of test."""
    folder = tmp_path_factory.mktemp("news") / "corpus"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newsroom, "STORIES_A_SHARD", 4)
        newsroom.write_newsroom(folder, count=14, held_out=6, seed=3)
    return folder


def in_shares(asked: Encoding, out: Path, of: int, splits: list[str] | None = None) -> None:
    for number in random.Random(of).sample(range(1, of + 1), of):
        encode_share(asked, out, splits, number=number, of=of, engine=HERE)


@pytest.mark.parametrize("kind", ["words", "pieces", "parts"])
def test_shares_give_the_bytes_of_one_process(tmp_path: Path, corpus: Path, kind: str) -> None:
    place = tokenizer_file(tmp_path / "tokenizer.json") if kind == "pieces" else None
    size = 4000 if kind == "parts" else None
    encode_corpus(
        corpus, tmp_path / "plain", pool=9, minimum_count=2, tokenizer=place, part_size=size
    )
    asked = Encoding(
        Corpus.open(corpus),
        pool=9,
        minimum_count=2,
        tokenizer=tokenizer_in(place),
        part_size=size,
    )
    in_shares(asked, tmp_path / "hand", 5)
    encode_on(asked, tmp_path / "hand", None, engine=None)
    assert all_bytes(tmp_path / "hand") == all_bytes(tmp_path / "plain")
    assert not list(tmp_path.glob(".*"))


def test_split_by_split_with_an_engine_and_only_what_is_missing(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode_corpus(corpus, tmp_path / "plain", maximum_words=50)
    asked = Encoding(Corpus.open(corpus), maximum_words=50)
    encode_on(asked, tmp_path / "out", ["valid"], engine=HERE)
    counted: list[str] = []
    monkeypatch.setattr(encode_shards, "count_words", lambda *_: counted.append("again"))
    encode_on(asked, tmp_path / "out", None, engine=HERE)
    assert all_bytes(tmp_path / "out") == all_bytes(tmp_path / "plain")
    assert not counted  # the vocabulary was there
    encode_on(asked, tmp_path / "out", None, engine=None)  # nothing is left to do


def test_finish_says_what_is_missing_and_leaves_nothing(tmp_path: Path, corpus: Path) -> None:
    asked = Encoding(Corpus.open(corpus))
    with pytest.raises(UserError, match=r"8 of 8 parts are not done yet \(train-00000"):
        encode_on(asked, tmp_path / "out", None, engine=None)
    assert not list(tmp_path.iterdir())
    encode_share(asked, tmp_path / "out", None, number=1, of=2, engine=HERE)
    with pytest.raises(UserError, match=r"4 of 8 parts are not done yet \(valid-00000"):
        encode_on(asked, tmp_path / "out", None, engine=None)


def test_spoilt_shards_other_versions_and_other_options_are_refused(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, out = Encoding(Corpus.open(corpus)), tmp_path / "out"
    share = partial(encode_share, asked, out, None, of=2, engine=HERE)
    share(number=1)
    with monkeypatch.context() as patch:
        patch.setattr(versions, "made_with", lambda: {"numpy": "1.0"})
        with pytest.raises(UserError, match=r"this machine has numpy 1.0"):
            share(number=2)
    share(number=2)
    kept = next(tmp_path.glob(".out.shards/*/files/valid-00001/question_tokens.npy"))
    kept.write_bytes(kept.read_bytes()[:-4] + b"\0\0\0\7")
    with pytest.raises(UserError, match=r"question_tokens.npy"):
        encode_on(asked, out, None, engine=None)
    assert not (out / "valid").exists()
    encode_corpus(corpus, tmp_path / "other", pool=7)
    with pytest.raises(UserError, match="pool differ"):
        encode_share(asked, tmp_path / "other", None, number=1, of=1, engine=HERE)


def test_the_command(tmp_path: Path, corpus: Path) -> None:
    def run(*words: str) -> str:
        made = CliRunner().invoke(app, ["encode", str(corpus), *words], catch_exceptions=False)
        return made.output

    out = str(tmp_path / "out")
    for number in (2, 1):
        told = run(out, "--shard", f"{number}/2", "--workers", "1")
        assert f"shard {number} of 2: 4 files" in told
    assert "test, train, valid; " in run(out, "--finish")
    run(str(tmp_path / "plain"))
    assert all_bytes(tmp_path / "out") == all_bytes(tmp_path / "plain")
    with pytest.raises(UserError, match="do not go together"):
        run(out, "--finish", "--shard", "1/2")


def test_the_word_pieces_of_a_reader_that_ships() -> None:
    """By its name. One that reads words has no pieces."""
    shipped = shipped_model("small")
    assert shipped is not None
    assert tokenizer_in(Path("small")) == shipped / Pieces.file
    with pytest.raises(UserError, match=r"attentive.tokenizer\.json: is no file"):
        tokenizer_in(Path("attentive"))
