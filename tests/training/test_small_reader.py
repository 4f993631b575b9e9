"""Small Encoder Readers in few bits, by the commands that the docs list."""

import json
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Point
from cloze.readers.reader import Reader
from cloze.training.data import open_encoded
from tests.commands.world import run
from tests.readers.test_pretrained import folder_of
from tests.readers.tokenizers import tokenizer_file
from tests.training.corpora import write_corpus

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHAPE = ("hidden_size=64", "heads=2", "positions=128", "relative_buckets=8")
TINY = (*(f"reader.{key}" for key in SHAPE), "run.device=cpu", "run.precision=float32")
PLAIN = ("noise.wrong_articles=0", "noise.rephrased_questions=0", "run.bits=null")

pytest.importorskip("tokenizers")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "corpus", 12)
    tokenizer_file(tmp_path / "tokenizer.json")
    return tmp_path


def make_teacher_file(monkeypatch: pytest.MonkeyPatch, corpus: str, *answers: object) -> None:
    run_script(monkeypatch, "teacher_file.py", corpus, *answers, "--out", "teacher.npz")


def run_script(monkeypatch: pytest.MonkeyPatch, name: str, *words: object) -> None:
    script = str(EXPERIMENTS / name)
    monkeypatch.setattr(sys, "argv", [script, *map(str, words)])
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    runpy.run_path(script, run_name="__main__")


def changed(corpus: str, out: str, change: Callable[[Document], Document]) -> None:
    """The same corpus with other documents, whose questions follow their ids."""

    def points() -> Iterator[Point]:
        for document, asked in Corpus.open(Path(corpus)).read("train"):
            other = change(document)
            ids = [one.id.replace(document.id, other.id) for one in asked]
            renamed = [
                replace(one, id=id, document_id=other.id)
                for one, id in zip(asked, ids, strict=True)
            ]
            yield other, renamed

    write_shard(Path(out), "train", 0, points())
    write_manifest(Path(out), name=out, options={})


def test_the_whole_chain(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["encode", "corpus", "encoded", "--tokenizer", "tokenizer.json", "--pool", 8])
    larger = ("reader.layers=3", "reader.inner_size=96")
    base = ["encoded=encoded", "out=base", *TINY, *PLAIN, *larger]
    run(["train", "configs/small/encoder.yaml", *base])
    smaller = ["--layers", "0,2", "--inner", 48, "--measured-on", "encoded", "--questions", 3]
    run(["prune", "base/model", "student", *smaller, "--words", 55, "--counted-on", "encoded"])
    run(["encode", "corpus", "pieces", "--tokenizer", "student"])
    run(["evaluate", "base/model", "corpus", "--split", "train", "--out", "teacher"])
    make_teacher_file(monkeypatch, "corpus", *Path("teacher").glob("*.parquet"))
    small = ["reader.layers=2", "reader.inner_size=48", "start_from=student", "encoded=pieces"]
    taught = ["teacher.answers=teacher.npz", "out=run"]
    run(["train", "configs/small/encoder.yaml", *TINY, *small, *taught])
    run(["prune", "base/model", "larger", "--words", 55, "--counted-on", "encoded"])
    beside = ["teacher.reader=larger", "teacher.states=1", "teacher.layers=[[0,1]]", "out=beside"]
    run(["train", "configs/small/encoder.yaml", *TINY, *small, *beside])
    run(["prune", "run/model", "small", "--bits", 3])
    run(["evaluate", "small", "corpus", "--split", "valid"])
    (answers,) = Path("predictions").glob("*.parquet")
    run(["calibrate", "small", answers])
    run(["card", "small", answers])
    head = json.loads(Path("small/config.json").read_text(encoding="utf-8"))
    assert head["weights"]["dtype"] == "int3"
    assert (head["reader"]["layers"], head["reader"]["inner_size"]) == (2, 48)
    assert len(open_encoded(Path("pieces")).vocabulary) == 12 + 55
    about = json.loads(Path("beside/model/config.json").read_text(encoding="utf-8"))["about"]
    assert about["teacher"].startswith("larger, sha256")
    assert Reader.from_pretrained("small").confidence is not None
    write_corpus(place / "mine", 14)
    own = ["corpus=mine", "out=own", "run.device=cpu"]
    run(["train", "configs/own/encoder.yaml", "start_from=small", *own])
    run(["prune", "own/model", "mine-reader", "--bits", 3])
    head = json.loads(Path("mine-reader/config.json").read_text(encoding="utf-8"))
    assert (head["reader"]["layers"], head["weights"]["dtype"]) == (2, "int3")


def test_an_encoder_is_made_narrower_before_it_reads(place: Path) -> None:
    """As the reader that ships began."""
    folder_of(place / "ENCODER", "mpnet")
    run(["encode", "corpus", "encoded", "--tokenizer", "ENCODER/tokenizer.json", "--pool", 8])
    first = ["encoded=encoded", "out=first", "reader.pretrained=ENCODER", "run.steps=1"]
    still = ["optimiser.learning_rate=1e-12", "optimiser.warmup=0", "batches.size=1"]
    where = ["run.device=cpu", "run.precision=float32"]
    run(["train", "configs/cnn/encoder.yaml", *first, *still, *where])
    narrower = ["--inner", 8, "--measured-on", "encoded", "--questions", 3]
    run(["prune", "first/model", "student", *narrower])
    shape = ["reader.hidden_size=8", "reader.heads=2", "reader.layers=2", "reader.inner_size=8"]
    given = ["encoded=encoded", "start_from=student", "out=run", "run.epochs=null", "run.steps=2"]
    run(["train", "configs/small/encoder.yaml", *shape, *given, *where])
    run(["prune", "run/model", "small", "--bits", 3])
    made = Reader.from_pretrained("small")
    assert made.config.model_dump()["inner_size"] == 8


def test_all_of_one_corpus_and_the_harder_questions_of_another(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["newsroom", "other", "--stories", 30, "--held-out", 2, "--seed", 9])
    shared = runpy.run_path(str(EXPERIMENTS / "shared_words.py"))["shared"]
    harder = ["corpus", "other", "harder", "--most", 0.3, "--tokens", 120, "--processes", 1]
    run_script(monkeypatch, "harder.py", *harder)
    made, first, second = (Corpus.open(place / name) for name in ("harder", "corpus", "other"))
    expected = [q.id for _, asked in first.read("train") for q in asked] + [
        q.id
        for document, asked in second.read("train")
        for q in asked
        if len(document.context.tokens) <= 120 and shared(document, q) <= 0.3
    ]
    found = [q.id for _, asked in made.read("train") for q in asked]
    assert found == expected
    assert first.count("train") < len(found) < first.count("train") + second.count("train")
    assert made.count("valid") == first.count("valid")
    run_script(monkeypatch, "harder.py", *harder[:2], "more", *harder[3:], "--also", "other", 2)
    further = [q.id for _, asked in second.read("train") for q in asked]
    twice = [f"{id}-{time}" for time in range(2) for id in further]
    read = list(Corpus.open(place / "more").read("train"))
    assert [q.id for _, asked in read for q in asked] == [*expected, *twice]
    assert all(q.document_id == document.id for document, asked in read for q in asked)


def test_parts_of_several_corpora(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["newsroom", "other", "--stories", 30, "--held-out", 2, "--seed", 9])
    shared = runpy.run_path(str(EXPERIMENTS / "shared_words.py"))["shared"]
    parts = ["--part", "corpus", 1, 1, "--part", "other", 0.5, 0.3, "--tokens", 120]
    run_script(monkeypatch, "mixed.py", "mixed", *parts)
    made, first, second = (Corpus.open(place / name) for name in ("mixed", "corpus", "other"))
    whole = [q.id for _, asked in first.read("train") for q in asked]
    possible = [
        q.id
        for document, asked in second.read("train")
        for q in asked
        if len(document.context.tokens) <= 120 and shared(document, q) <= 0.3
    ]
    found = [q.id for _, asked in made.read("train") for q in asked]
    assert found[: len(whole)] == whole
    drawn = found[len(whole) :]
    assert drawn == [id for id in possible if id in set(drawn)]
    assert 0.3 < len(drawn) / len(possible) < 0.7
    assert made.count("valid") == second.count("valid")
    twice = [*parts, "--part", "corpus", 1, 1, "--valid", "corpus"]
    run_script(monkeypatch, "mixed.py", "again", *twice)
    again = Corpus.open(place / "again")
    asked_there = {q.id for _, asked in first.read("valid") for q in asked}
    without = [id for id in found if id not in asked_there]
    assert 0 < len(without) < len(found)
    assert [q.id for _, asked in again.read("train") for q in asked] == without
    assert again.count("valid") == first.count("valid")
    run_script(monkeypatch, "mixed.py", "three", "--part", "other", 3, 1, "--valid", "corpus")
    three = [q.id for _, asked in Corpus.open(place / "three").read("train") for q in asked]
    once = [q.id for _, asked in second.read("train") for q in asked]
    assert three == [f"{id}-{time}" for time in range(3) for id in once]
    run_script(monkeypatch, "mixed.py", "none", "--part", "corpus", 2, 1, "--valid", "again")
    left = [q.id for _, asked in Corpus.open(place / "none").read("train") for q in asked]
    assert left == [f"{id}-{time}" for time in range(2) for id in whole if id not in asked_there]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--part", "corpus", "half", 1], "could not convert string to float: 'half'"),
        (["--part", "corpus", "nan", 1], "nan and 1.0 are no shares; give more than 0, up to 1"),
        (["--part", "corpus", 0, 1], "0.0 and 1.0 are no shares"),
        (["--part", "corpus", 1.5, 1], "1.5 and 1.0 are no shares"),
        (["--part", "absent", 1, 1], "absent: "),
        (["--part", "german", 1, 1, "--valid", "corpus"], "in several languages: de, en"),
    ],
)
def test_parts_that_cannot_be_mixed(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[object],
    said: str,
) -> None:
    write_shard(place / "german", "train", 0, Corpus.open(place / "corpus").read("train"))
    write_manifest(place / "german", name="german", options={"language": "de"})
    with pytest.raises(SystemExit) as ended:
        run_script(monkeypatch, "mixed.py", "mixed", *given)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (place / "mixed").exists()


def test_part_of_the_way(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["encode", "corpus", "encoded", "--tokenizer", "tokenizer.json", "--pool", 8])
    common = ["encoded=encoded", *TINY, *PLAIN, "reader.layers=2"]
    run(["train", "configs/small/encoder.yaml", *common, "out=first"])
    further = ["start_from=first/model", "out=then", "run.kept_layers=1"]
    run(["train", "configs/small/encoder.yaml", *common, *further])
    for share in (0, 0.5, 1):
        words = ["first/model", "then", f"at-{share}", "--share", share, "--bits", 32]
        run_script(monkeypatch, "part_way.py", *words)
    folders = ("first/model", "then/model", "at-0", "at-0.5", "at-1")
    first, then, *found = (Reader.from_pretrained(f).network.state_dict() for f in folders)
    for name, weight in first.items():
        half = (weight + then[name]) / 2
        for mine, expected in zip(found, (weight, half, then[name]), strict=True):
            torch.testing.assert_close(mine[name], expected)
    assert not torch.equal(first["W.weight"], then["W.weight"])
    assert torch.equal(found[1]["embedding.weight"], first["embedding.weight"])
    words = ["first/model", "then/model", "by-model", "--share", 0.5, "--bits", 32]
    run_script(monkeypatch, "part_way.py", *words)
    by_model = Reader.from_pretrained("by-model").network.state_dict()
    for name, weight in by_model.items():
        torch.testing.assert_close(weight, found[1][name])


def test_the_first_layers_of_another_reader(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["encode", "corpus", "encoded", "--tokenizer", "tokenizer.json", "--pool", 8])
    common = ["encoded=encoded", *TINY, *PLAIN, "reader.layers=2"]
    for seed, out in enumerate(("first", "second"), 1):
        run(["train", "configs/small/encoder.yaml", *common, f"out={out}", f"run.seed={seed}"])
    words = ["first/model", "second/model", "joined", "--layers", 1, "--bits", 32]
    run_script(monkeypatch, "first_layers_of.py", *words)
    folders = ("first/model", "second/model", "joined")
    first, second, joined = (Reader.from_pretrained(f).network.state_dict() for f in folders)
    above = {name for name in joined if name.startswith(("body.layers.1.", "W.", "v."))}
    for name, weight in joined.items():
        assert torch.equal(weight, (second if name in above else first)[name]), name
    run(["train", "configs/small/encoder.yaml", *common, "out=wide", "reader.inner_size=24"])
    with pytest.raises(SystemExit, match=r"wide/model has another body.layers.0.up.weight than"):
        run_script(monkeypatch, "first_layers_of.py", "first/model", "wide/model", "none")


def test_a_teacher_is_heard_where_it_was_asked(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the questions' ids; of the others nothing is known."""
    write_corpus(place / "more", 20)  # which begins with the same twelve documents
    run(["evaluate", "attentive", "corpus", "--split", "train", "--out", "said"])
    (said,) = Path("said").glob("*.parquet")
    make_teacher_file(monkeypatch, "more", said)
    kept = np.load("teacher.npz", allow_pickle=False)
    assert kept["candidates"].shape == kept["probabilities"].shape == (40, 4)
    asked = (kept["probabilities"] > 0).any(1)
    assert asked.tolist() == [True] * 24 + [False] * 16
    assert kept["candidates"].max() <= 4
    assert (kept["candidates"][24:] == -1).all()
    make_teacher_file(monkeypatch, "corpus", "--kept", "teacher.npz", "more")
    again = np.load("teacher.npz", allow_pickle=False)
    for name in ("candidates", "probabilities"):
        np.testing.assert_array_equal(again[name], kept[name][:24])
    changed("corpus", "turned", lambda d: replace(d, entities=d.entities[::-1]))
    make_teacher_file(monkeypatch, "turned", said)
    turned = np.load("teacher.npz", allow_pickle=False)
    assert (turned["candidates"] != again["candidates"]).any()
    make_teacher_file(monkeypatch, "corpus", "--kept", "teacher.npz", "turned")
    back = np.load("teacher.npz", allow_pickle=False)
    for name in ("candidates", "probabilities"):
        np.testing.assert_array_equal(back[name], again[name])
    make_teacher_file(monkeypatch, "more", "--kept", "teacher.npz", "corpus", said)
    both = np.load("teacher.npz", allow_pickle=False)
    np.testing.assert_array_equal(both["candidates"], kept["candidates"])
    with pytest.raises(SystemExit, match="has 40 questions, corpus has 24"):
        make_teacher_file(monkeypatch, "more", "--kept", "teacher.npz", "corpus")
    run_script(
        monkeypatch, "harder.py", "corpus", "corpus", "twice", "--most", -1, "--also", "corpus", 2
    )
    make_teacher_file(monkeypatch, "twice", said, "--times", 2)
    twice = np.load("teacher.npz", allow_pickle=False)
    assert (twice["candidates"][:24] == -1).all()
    for begin in (24, 48):
        np.testing.assert_array_equal(twice["candidates"][begin : begin + 24], again["candidates"])
    changed("corpus", "renamed", lambda d: replace(d, id=f"{d.id}-again"))
    make_teacher_file(monkeypatch, "corpus", said)
    with pytest.raises(SystemExit, match="its questions are not those of renamed"):
        make_teacher_file(monkeypatch, "corpus", "--kept", "teacher.npz", "renamed")
    run(["evaluate", "word-distance", "corpus", "--split", "train", "--out", "scored"])
    with pytest.raises(SystemExit, match="its scores are not probabilities"):
        make_teacher_file(monkeypatch, "more", *Path("scored").glob("*.parquet"))
