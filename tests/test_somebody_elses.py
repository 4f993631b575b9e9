"""An answerer that uses only our protocol can be evaluated, reported, asked and served."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze.answering import Answerer
from cloze.ask.examples import examples
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.ask.terminal import Conversation
from cloze.cli import main as command
from cloze.corpus.store import Corpus
from cloze.finding import find, find_all
from tests.ask.conftest import ARTICLE, QUESTION, capitals, get, post, served

WORD = "tests.first_name:FirstName"


@pytest.fixture
def cloze(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable:
    monkeypatch.chdir(Path(__file__).parents[1])

    def run(*words: object) -> str:
        monkeypatch.setattr("sys.argv", ["cloze", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            command.main()
        printed = capsys.readouterr()
        assert not end.value.code, printed.err
        return printed.out

    return run


def test_it_evaluates_and_reports(
    make_corpus: Callable[..., Path], tmp_path: Path, cloze: Callable[..., str]
) -> None:
    corpus = Corpus.open(make_corpus(documents=12))
    out = tmp_path / "predictions"
    words = (WORD, "exclusive-frequency", corpus.path, "--split", "valid", "--out", out)
    found = {one["model"]: one for one in json.loads(cloze("evaluate", *words, "--json"))}
    right = [
        question.answer == document.candidates()[0]
        for document, questions in corpus.read("valid")
        for question in questions
    ]
    assert found["First name"]["accuracy"] == pytest.approx(sum(right) / len(right))
    blind = json.loads(cloze("evaluate", *words, "--json", "--question-only"))
    assert {one["model"] for one in blind} >= {"First name, question only"}
    cloze("report", out, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "First name" in page
    assert "somebody&#x27;s" in page or "somebody&#39;s" in page


def test_it_is_asked_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    answerer: Answerer = find(WORD)
    conversation = Conversation(answerer, capitals, ARTICLE)
    conversation.ask(QUESTION)
    shown = capsys.readouterr().out
    assert shown.index("Harbour Line") < shown.index("Tobias Lund")
    assert "%" not in shown  # it has scores but no probabilities
    assert "The First name has no attention to show." in shown
    conversation.propose()
    assert "right" in capsys.readouterr().out


def test_it_serves_beside_a_baseline() -> None:
    app = create_app(
        Service(find_all([WORD, "word-distance"]), capitals, batch=8), examples(), hosts=None
    )
    with served(app) as address:
        cards = get(f"{address}/api/models").json()
        answer = post(f"{address}/api/read", json={"article": ARTICLE, "question": QUESTION}).json()
    assert [(card["title"], card["kind"], card["parameters"]) for card in cards] == [
        ("First name", "somebody's", None),
        ("Word distance model", "baseline", None),
    ]
    first, _ = answer["answers"]
    assert first["model"] == WORD
    assert [(c["name"], c["score"], c["probability"]) for c in first["candidates"]][:2] == [
        ("Harbour Line", 0, None),
        ("Mara Venn", -1, None),
    ]
    assert first["attention"] is None
    assert not first["outside"]
