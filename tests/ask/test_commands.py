"""`cloze ask` and `cloze serve` as a person types them, with the real entity pipeline."""

import asyncio
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cloze.answering import Answerer, answers
from cloze.ask.tagging import tagger
from cloze.ask.terminal import Conversation
from cloze.baselines.frequency import ExclusiveFrequency
from cloze.document import Point
from cloze.errors import UserError
from cloze.finding import find_all
from cloze.names.detection import pipeline_name
from cloze.newsroom import stories
from cloze.newsroom.corpus import to_point
from cloze.readers import shipped_models as models
from tests.conftest import document_of, needs_signals, question_of

from .conftest import ARTICLE, QUESTION, capitals, get, random_reader

try:
    pipeline_name(None)
except UserError as absent:
    pytest.skip(str(absent), allow_module_level=True)


def cloze(*arguments: object, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "cloze", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100", "OMP_NUM_THREADS": "1"},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ask")
    random_reader("impatient").save_pretrained(folder / "hasty")
    (folder / "news.txt").write_text(ARTICLE, encoding="utf-8")
    (folder / "empty.txt").write_text("\n", encoding="utf-8")
    (folder / "latin.txt").write_bytes("Zoë".encode("latin-1"))
    (folder / "long.txt").write_text("word " * 30_000, encoding="utf-8")
    return folder


def test_ask_answers_with_names(folder: Path) -> None:
    done = cloze("ask", folder / "hasty", "--article", folder / "news.txt", "--question", QUESTION)
    assert done.returncode == 0, done.stderr
    assert "Engineer ___ will not sue Mara Venn" in done.stdout
    assert "Tobias Lund" in done.stdout
    assert re.search(r"\d+\.\d %", done.stdout)
    assert "Looked at most:" in done.stdout
    assert "after reading" in done.stdout  # the film, in words
    assert "@entity" not in done.stdout


def test_a_conversation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = Conversation(random_reader("attentive"), capitals, ARTICLE)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\nnobody\nX left\n\nX never asked\n"))
    conversation.converse()
    shown = capsys.readouterr().out
    assert "From the first sentences, which the article has word for word" in shown
    assert re.search(r"\d+ of \d+ right", shown)
    assert "the question has no gap" in shown
    assert "Question  The ___ engineer" in shown  # number 1
    assert shown.count("Looked at most:") == 2  # number 1, and "X left"
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    conversation.converse()  # the end of the input ends it too


def test_a_reader_without_attention_and_an_article_without_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Conversation(random_reader("deep-lstm"), capitals, ARTICLE).ask("X left")
    assert "The Deep LSTM Reader has no attention to show." in capsys.readouterr().out
    nameless = Conversation(random_reader("attentive"), capitals, "nobody is named here")
    nameless.ask("X left")
    assert "nothing to choose from" in capsys.readouterr().out
    assert nameless.propose() == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "there is no article; give one: --article FILE"),
        (["--article", "nowhere.txt"], "nowhere.txt: No such file or directory"),
        (["--article", "empty.txt"], "the article is empty; paste some text"),
        (["--article", "latin.txt"], "latin.txt: is not UTF-8 text (byte 2); save it as UTF-8"),
        (["--article", "news.txt", "--question", "none"], "the question has no gap; put X"),
        (["--article", "long.txt"], "has 30,000 tokens and at most 8,000 can be read; shorten it"),
        (["--article", "-", "--interactive"], "cannot both come from standard input"),
    ],
)
def test_mistakes_are_one_line(folder: Path, arguments: list[str], line: str) -> None:
    placed = [str(folder / a) if a.endswith(".txt") else a for a in arguments]
    done = cloze("ask", folder / "hasty", *placed)
    assert done.returncode == 2
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_pipeline_is_told_with_its_cure() -> None:
    with pytest.raises(UserError, match="python -m spacy download xx_none"):
        tagger("xx_none")


def test_the_shipped_readers_read() -> None:
    """The shipped readers really read: on stories of another kind they do better than counting."""
    readers = find_all(models.shipped_models())
    assert [(label, reader.name) for label, reader in readers.items()] == [
        ("small", "Encoder Reader"),
        ("attentive", "Attentive Reader"),
        ("impatient", "Impatient Reader"),
    ]
    points = [to_point(story, gold)[0] for story, gold in stories(2015, 40)]

    def right_answers(answerer: Answerer, points: list[Point]) -> int:
        return sum(
            ranking.answer == question.answer
            for _, questions, rankings in answers(answerer, points)
            for question, ranking in zip(questions, rankings, strict=True)
        )

    for reader in readers.values():
        read = points[:6] if reader.name == "Encoder Reader" else points  # it takes its time
        asked = sum(len(questions) for _, questions in read)
        right = right_answers(reader, read)
        assert right > right_answers(ExclusiveFrequency(), read) + asked / 20
        assert right > asked / 3


def test_the_shipped_readers_take_an_article_of_many_names() -> None:
    document = document_of(" met ".join(f"@entity{marker}" for marker in range(300)))
    question = question_of("@placeholder met @entity1", 0, document)
    for reader in find_all(models.shipped_models()).values():
        ((ranking,),) = reader.answer([(document, [question])])
        assert len(ranking.candidates) == 300


def test_no_shipped_model_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(models, "files", lambda package: tmp_path)
    with pytest.raises(UserError, match="no readers of its own; give the folder of one"):
        models.shipped_models()


def test_the_terminal_cannot_be_steered(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "Mara Venn met \x1b[31mTobias Lund\x1b]0;title\x07 in Ostrava. [bold]Venn[/bold] left."
    conversation = Conversation(
        random_reader("attentive"), capitals, evil, ["Venn met \x1b[2J Lund"]
    )
    conversation.ask("X met Venn \x1b[0m")
    conversation.propose()
    shown = capsys.readouterr().out
    assert "\x1b[31m" not in shown
    assert "\x1b]0" not in shown
    assert "\x1b[2J" not in shown
    assert "[bold]Venn[/bold]" in shown


@pytest.fixture
def serving(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "cloze", "serve", str(folder / "hasty"), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        yield process, found.group()
    finally:
        process.kill()
        process.communicate()


@needs_signals
def test_serve_finishes_what_runs(serving: tuple["subprocess.Popen[str]", str]) -> None:
    """SIGTERM while requests are open: all that were taken are answered, and the exit code is 0."""
    process, address = serving
    words = " ".join(f"Mara Venn met person {k} in Ostrava." for k in range(150))

    sent = 0

    async def count(event: str, _: object) -> None:
        nonlocal sent
        sent += event == "http11.send_request_body.complete"

    async def crowd() -> list[int]:
        async with httpx.AsyncClient(timeout=None) as client:
            body = {"article": words, "question": QUESTION}
            tasks = [
                asyncio.create_task(
                    client.post(
                        f"{address}/api/read",
                        json={**body, "article": f"{k} {words}"},
                        extensions={"trace": count},
                    )
                )
                for k in range(6)
            ]
            while sent < len(tasks):
                await asyncio.sleep(0.01)
            # The server has one loop: once it answers this, it has read what was sent before.
            await client.get(f"{address}/api/models")
            process.send_signal(signal.SIGTERM)
            return [response.status_code for response in await asyncio.gather(*tasks)]

    assert get(f"{address}/api/models").json()[0]["name"] == "hasty"
    statuses = asyncio.run(crowd())
    assert set(statuses) <= {200, 503}  # all have an answer; there was not time for each
    assert statuses.count(200) >= 2
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "stopped; every request was finished" in out
    assert err == ""
    with pytest.raises(httpx.ConnectError):
        get(address)


@needs_signals
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
def test_the_end_of_the_reading_process_ends_the_server_in_one_line(
    serving: tuple["subprocess.Popen[str]", str],
) -> None:
    process, address = serving
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children}
    (reading,) = (pid for pid, command in commands.items() if b"spawn_main" in command)
    os.kill(int(reading), signal.SIGKILL)
    out, err = process.communicate()
    assert process.returncode == 1
    assert err == "error: the process of the readers was lost; start the server again\n"
    assert "finished" not in out
    with pytest.raises(httpx.ConnectError):
        get(address)


def test_a_model_that_is_not_there_is_one_line() -> None:
    done = cloze("serve", "nowhere", "--port", "0")
    assert done.returncode == 2
    assert "'nowhere' is neither a reader's folder nor a baseline" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@needs_signals
def test_ctrl_c_and_a_port_that_is_taken(
    serving: tuple["subprocess.Popen[str]", str], folder: Path
) -> None:
    process, address = serving
    port = address.rsplit(":", 1)[1]
    done = cloze("serve", folder / "hasty", "--port", port)
    assert done.returncode == 2
    assert "give another --port" in done.stderr
    process.send_signal(signal.SIGINT)
    process.wait()
    assert process.returncode == 0
