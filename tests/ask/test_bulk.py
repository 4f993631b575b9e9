"""Many questions about many articles: nothing is lost, and a kill changes nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cloze.answering import Answerer, answers
from cloze.ask import bulk
from cloze.ask.article import Asked, prepare_asked
from cloze.ask.bulk import Bulk
from cloze.baselines.word_distance import WordDistance
from cloze.errors import UserError
from tests.conftest import needs_signals

from .conftest import ARTICLE, QUESTION, capitals, random_reader

LONG = "word " * 30_000
STORY = f"{ARTICLE}\n\n@highlight\n\nMara Venn insulted Tobias Lund\n"


def write(path: Path, *lines: Any) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def reader() -> Answerer:
    return random_reader("attentive", 1)


def test_every_line_comes_out(reader: Answerer, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "news.txt").write_text(ARTICLE, encoding="utf-8-sig")
    (tmp_path / "texts" / "news.story").write_text(STORY, encoding="utf-8")
    (tmp_path / "texts" / "latin.txt").write_bytes("Zoë".encode("latin-1"))
    lines = [
        {"id": "a", "article": ARTICLE, "questions": [QUESTION, "no gap here", "X left Ostrava"]},
        {"id": 2, "path": "texts/news.txt", "questions": [QUESTION], "source": "ours"},
        {"path": "texts/news.story", "questions": [QUESTION]},
        "",
        "{not json",
        "[1, 2]",
        '{"article": "\\ud800", "questions": ["X"]}',
        {"article": ARTICLE},
        {"article": ARTICLE, "questions": []},
        {"article": ARTICLE, "questions": [5]},
        {"questions": [QUESTION]},
        {"article": ARTICLE, "path": "texts/news.txt", "questions": [QUESTION]},
        {"path": "texts/nowhere.txt", "questions": [QUESTION]},
        {"path": "texts/latin.txt", "questions": [QUESTION]},
        {"article": " ", "questions": [QUESTION]},
        {"article": LONG, "questions": [QUESTION]},
        {"article": "nobody is named here", "questions": ["X left"]},
    ]
    source = write(tmp_path / "in.jsonl", *lines)
    counts = Bulk(reader, capitals).run(source, tmp_path / "out.jsonl")
    found = told(tmp_path / "out.jsonl")
    assert [line["line"] for line in found] == list(range(1, len(lines) + 1))
    assert [line["id"] for line in found[:3]] == ["a", 2, None]
    first, gapless, third = found[0]["answers"]
    assert first["question"] == QUESTION
    assert first["answer"] in ("Tobias Lund", "Mara Venn", "Ostrava", "Harbour Line")
    assert first["candidates"][0] == [first["answer"], first["probability"]]
    assert "the question has no gap" in gapless["rejected"]
    assert "answer" in third
    assert found[1]["answers"] == [first]  # the same text, from a file
    reasons = [line.get("rejected", "") for line in found[3:16]]
    expected = [
        *("is empty", "is not valid JSON", "valid dictionary", "is not valid JSON"),
        *("has no 'questions'", "at least 1 item", "should be a valid string"),
        *("either an 'article' or a 'path'",) * 2,
        *("not a file that can be read", "is not UTF-8", "the article is empty", "30,000 tokens"),
    ]
    for reason, part in zip(reasons, expected, strict=True):
        assert part in reason, reason
    assert "no names were found" in found[16]["answers"][0]["rejected"]
    assert (counts.lines, counts.rejected, counts.refused, counts.answered) == (17, 13, 2, 4)
    assert sum(counts.reasons.values()) == 15


def test_the_answers_are_those_of_ask(reader: Answerer, tmp_path: Path) -> None:
    questions = [QUESTION, "X insulted Tobias Lund", "X has worked in Ostrava"]
    source = write(tmp_path / "in.jsonl", {"article": ARTICLE, "questions": questions})
    Bulk(reader, capitals).run(source, tmp_path / "out.jsonl")
    for question, said in zip(questions, told(tmp_path / "out.jsonl")[0]["answers"], strict=True):
        asked = Asked.of(ARTICLE, (), question)
        ready = prepare_asked(asked, capitals(asked.to_tag))
        assert ready.question is not None
        ((_, _, (ranking,)),) = answers(reader, [(ready.document, [ready.question])])
        assert said["answer"] == ready.document.name_of(ranking.answer)
        assert said["probability"] == pytest.approx(ranking.scores[0], abs=1e-5)


def test_a_baseline_has_no_probability(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"article": ARTICLE, "questions": [QUESTION]})
    Bulk(WordDistance(), capitals).run(source, tmp_path / "out.jsonl")
    (answer,) = told(tmp_path / "out.jsonl")[0]["answers"]
    assert (answer["probability"], answer["sure"], answer["meaning"]) == (None, None, None)
    assert len(answer["candidates"]) == 4


def test_nothing_is_overwritten_unasked(reader: Answerer, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"article": ARTICLE, "questions": [QUESTION]})
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        Bulk(reader, capitals).run(source, tmp_path / "out.jsonl")
    with pytest.raises(UserError, match="is the input"):
        Bulk(reader, capitals).run(source, source, overwrite=True)
    Bulk(reader, capitals).run(source, tmp_path / "out.jsonl", overwrite=True)
    assert told(tmp_path / "out.jsonl")[0]["answers"]


class Stops(Exception):
    pass


def test_a_file_that_changed_meanwhile_is_read_again(
    reader: Answerer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "CHUNK", 1)
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(ARTICLE)
    lines = [{"path": f"{name}.txt", "questions": [QUESTION]} for name in ("one", "two")]
    source = write(tmp_path / "in.jsonl", *lines)

    def stop(*_: object) -> None:
        raise Stops

    with monkeypatch.context() as patch:
        patch.setattr(bulk, "join", stop)
        with pytest.raises(Stops):
            Bulk(reader, capitals).run(source, tmp_path / "out.jsonl")
    (tmp_path / "two.txt").write_text("Mara Venn met Kim Roe in Ostrava .")
    Bulk(reader, capitals).run(source, tmp_path / "out.jsonl")
    one, two = told(tmp_path / "out.jsonl")
    names = {name for name, _ in two["answers"][0]["candidates"]}
    assert names == {"Mara Venn", "Kim Roe", "Ostrava"}
    assert {name for name, _ in one["answers"][0]["candidates"]} != names


RUN = """
import os, sys, time
from pathlib import Path

from cloze.ask import bulk
from cloze.files import write_text
from tests.ask.conftest import capitals, random_reader

bulk.CHUNK = 2
MOST = int(os.environ["MOST"])


def write_at_most(path, text):
    while path.parent.is_dir() and len(os.listdir(path.parent)) >= MOST:
        time.sleep(0.001)
    write_text(path, text)


bulk.write_text = write_at_most
bulk.Bulk(random_reader("attentive", 1), capitals).run(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@needs_signals
def test_kill_9_and_the_same_bytes(tmp_path: Path) -> None:
    lines = [
        {"id": k, "article": f"{ARTICLE} Number {k}.", "questions": [QUESTION, "X was dismissed"]}
        for k in range(20)
    ]
    source = write(tmp_path / "in.jsonl", *lines, "broken")
    (tmp_path / "run.py").write_text(RUN)
    root = str(Path(__file__).parents[2])

    def start(out: Path, most: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, str(tmp_path / "run.py"), str(source), str(out)],
            env={**os.environ, "MOST": str(most), "OMP_NUM_THREADS": "1"}
            | {"PYTHONPATH": os.pathsep.join([root, *sys.path])},
        )

    assert start(tmp_path / "calm.jsonl", 1000).wait() == 0
    out = tmp_path / "hard.jsonl"
    done = out.with_name(".hard.jsonl.building") / "chunks"
    for most in (2, 7):
        process = start(out, most)
        while not done.is_dir() or len(os.listdir(done)) < most:
            assert process.poll() is None
            time.sleep(0.001)
        process.kill()
        process.wait()
        assert not out.exists()
    assert start(out, 1000).wait() == 0
    assert out.read_bytes() == (tmp_path / "calm.jsonl").read_bytes()
    assert len(told(out)) == 21
    assert {path.name for path in tmp_path.iterdir()} == {
        *("in.jsonl", "run.py", "calm.jsonl", "hard.jsonl")
    }
