"""The command, from a corpus and a server to a table: oracles, kill -9, and the key."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.evaluation.sampling import sample
from cloze.language_models.forms import Form, items
from cloze.language_models.prompts import Prompt
from cloze.randomness import generator, key_of
from tests.conftest import needs_signals
from tests.language_models.loopback import Answer, Loopback, candidates_of, first_candidate, said

SECRET = "sk-open-sesame-0123456789"
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def command(corpus: Corpus, server: Loopback, *words: object) -> list[str]:
    asked = ("evaluate", corpus.path, "--endpoint", server.url, "--model", "little", *words)
    return [sys.executable, "-m", "cloze", *map(str, asked)]


def cloze(
    corpus: Corpus, server: Loopback, cwd: Path, *words: object, **more: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(corpus, server, *words),
        cwd=cwd,
        env=ENVIRONMENT | more,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def rows(folder: Path, form: str = "") -> list[dict[str, Any]]:
    name = f"little-{form}newsroom-valid.parquet"
    columns = ["question_id", "answer", "candidates", "outside", "why"]
    return list(pq.read_table(folder / name, columns=columns).to_pylist())


def accuracy(found: list[dict[str, Any]]) -> float:
    return sum(row["candidates"][:1] == [row["answer"]] for row in found) / len(found)


def oracle(points: list[Point], prompt: Prompt) -> Callable[[str, int], Answer]:
    """It looks the right answer up by the prompt's own words, and takes it from its list."""
    right: dict[str, str] = {}
    for form in Form:
        for point in points:
            for item in items(point, form):
                label = next(c.label for c in item.candidates if c.marker == item.answer)
                right[prompt.fill(item)] = label

    def reply(prompt: str, _: int) -> Answer:
        assert right[prompt] in candidates_of(prompt)
        return said(right[prompt])

    return reply


@pytest.mark.parametrize("interface", ["chat", "completions"])
def test_a_server_that_knows_the_answers_gets_all_in_every_form(
    interface: str, news: Corpus, points: list[Point], tmp_path: Path
) -> None:
    with Loopback(oracle(points, Prompt.built_in(interface))) as server:
        done = cloze(news, server, tmp_path, "--form", "all", "--interface", interface)
    assert done.returncode == 0, done.stderr
    for form in Form:
        name = form.wording.replace(" ", "-") + "-" if form.wording else ""
        assert accuracy(rows(tmp_path / "predictions", name)) == 1.0
    assert "answers markers without the article better than chance" in done.stdout


def test_one_that_says_the_first_gets_what_the_order_implies(
    news: Corpus, points: list[Point], tmp_path: Path
) -> None:
    with Loopback(first_candidate) as server:
        done = cloze(news, server, tmp_path, "--seed", "3")
    assert done.returncode == 0, done.stderr
    implied = [
        int(generator(3, key_of(q.id)).permutation(document.candidates())[0]) == q.answer
        for document, questions in points
        for q in questions
    ]
    found = rows(tmp_path / "predictions")
    assert accuracy(found) == sum(implied) / len(implied)
    assert {row["why"] for row in found} == {"by marker"}


def test_letters(news: Corpus, points: list[Point], tmp_path: Path) -> None:
    """The server reads the letter from the line that holds the right label."""
    template = tmp_path / "letters.txt"
    template.write_text(
        "{{ article }}\n{{ question }}\n"
        "{% for c in candidates %}\n{{ c.letter }}) {{ c.label }}\n{% endfor %}\n"
    )
    right = {
        item.question: next(c.label for c in item.candidates if c.marker == item.answer)
        for point in points
        for item in items(point, Form.NAMES)
    }

    def reply(prompt: str, _: int) -> Answer:
        label = next(right[line] for line in prompt.splitlines() if line in right)
        return said(next(line for line in prompt.splitlines() if line.endswith(f") {label}"))[0])

    with Loopback(reply) as server:
        done = cloze(news, server, tmp_path, "--form", "names", "--prompt", template)
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "predictions", "real-names-")
    assert accuracy(found) == 1.0
    assert {row["why"] for row in found} == {"by letter"}


@needs_signals
def test_killed_in_mid_run_and_started_again(
    news: Corpus, points: list[Point], tmp_path: Path
) -> None:
    """Three at once: when three requests wait, every reply before them has been kept."""
    total = sum(len(questions) for _, questions in points)
    gate, held, stop_after = asyncio.Event(), threading.Semaphore(0), 20

    async def wait() -> None:
        held.release()
        await gate.wait()

    def behave(prompt: str, before: int) -> Answer:
        answer = first_candidate(prompt, before)
        if len(server.delivered) >= stop_after or prompt in waiting:
            waiting.add(prompt)
            return replace(answer, wait=wait)
        return answer

    waiting: set[str] = set()
    with Loopback(behave) as server:
        for _ in range(2):
            process = subprocess.Popen(
                command(news, server, "--at-once", "3"), cwd=tmp_path, env=ENVIRONMENT
            )
            for _ in range(3):
                held.acquire()
            process.send_signal(signal.SIGKILL)
            process.wait()
            stop_after += 20
        assert 20 <= len(server.delivered) < total
        kept = set(server.delivered)
        server.loop.call_soon_threadsafe(gate.set)
        done = cloze(news, server, tmp_path, "--at-once", "3")
        assert done.returncode == 0, done.stderr
        assert all(server.asked[prompt] == 1 for prompt in kept - waiting)
        assert sum(server.asked.values()) <= total + 2 * 3
        assert len(server.asked) == total
        calm = tmp_path / "calm"
        calm.mkdir()
        assert cloze(news, server, calm).returncode == 0
    assert rows(tmp_path / "predictions") == rows(calm / "predictions")


def test_the_key_stands_nowhere(news: Corpus, tmp_path: Path) -> None:
    """Not in a file, not in what is printed, though the server repeats it wherever it can."""

    def parrot(prompt: str, before: int) -> Answer:
        heard = server.headers[-1].split("Authorization: ")[1].split("\r\n")[0]
        if len(server.headers) % 3 == 0:
            return Answer(f'{{"error": {{"message": "{heard}"}}}}'.encode(), 400)
        return said(f"{heard} {candidates_of(prompt)[0]}", heard)

    where = {"EXAMPLE_API_KEY": SECRET, "TMPDIR": str(tmp_path)}
    with Loopback(parrot) as server:
        options = ("--key-from", "EXAMPLE_API_KEY", "--at-once", "2")
        done = cloze(news, server, tmp_path, *options, **where)
        assert done.returncode == 0, done.stderr
        told = subprocess.run(
            [sys.executable, "-m", "cloze", "report", "predictions"],
            cwd=tmp_path,
            env=ENVIRONMENT | where,
            capture_output=True,
            text=True,
        )
        assert told.returncode == 0, told.stderr
        server.behaviour = lambda *_: Answer(
            f'{{"error": {{"message": "bad key {SECRET}"}}}}'.encode(), 401
        )
        refused = cloze(news, server, tmp_path, *options, "--seed", "9", **where)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert "bad key [key]" in refused.stderr
    assert all(SECRET in head for head in server.headers)
    printed = [done.stdout, done.stderr, told.stdout, told.stderr, refused.stdout, refused.stderr]
    assert not any(SECRET in text for text in printed)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"replies.sqlite", "index.html"} <= {path.name for path in files}
    for path in files:
        content = path.read_bytes()
        assert SECRET.encode() not in content, path
        assert b"sesame" not in content, path


def test_a_dry_run_says_what_it_would_cost_and_sends_nothing(news: Corpus, tmp_path: Path) -> None:
    with Loopback(first_candidate) as server:
        options = ("--dry-run", "--price", "1,2", "--sample", "10", "--form", "all")
        done = cloze(news, server, tmp_path, *options)
        assert done.returncode == 0, done.stderr
        assert not server.asked
    assert "tokens to read" in done.stdout
    assert "little, names without the article: " in done.stdout
    assert "Read the article and fill the gap" in done.stdout


def test_a_sample_is_whole_documents_and_stays_the_same(
    news: Corpus, points: list[Point], tmp_path: Path
) -> None:
    small, large, other = (
        set(sample(news, "valid", size, seed)) for size, seed in ((10, 0), (30, 0), (10, 1))
    )
    assert small < large
    assert small != other
    asked = {question.id for d, questions in points if d.id in small for question in questions}
    assert 10 <= len(asked) < 30
    with Loopback(first_candidate) as server:
        done = cloze(news, server, tmp_path, "--sample", "10")
    assert done.returncode == 0, done.stderr
    assert {row["question_id"] for row in rows(tmp_path / "predictions")} == asked
    assert len(server.asked) == len(asked)


def test_a_budget_scores_the_documents_that_it_reached(news: Corpus, tmp_path: Path) -> None:
    with Loopback(first_candidate) as server:
        done = cloze(news, server, tmp_path, "--budget", "4000", "--at-once", "1")
        assert done.returncode == 0, done.stderr
        assert "the budget is spent; scored on " in done.stderr
        found = rows(tmp_path / "predictions")
        assert 0 < len(found) <= len(server.asked)
        none = cloze(news, server, tmp_path, "--budget", "1", "--seed", "5")
    assert none.returncode == 2
    assert none.stderr.splitlines()[-1].startswith("error: the budget is spent")


MISTAKES: Mapping[str, tuple[object, ...]] = {
    "there is no form": ("--form", "poem"),
    "there is no interface": ("--interface", "smoke"),
    "is not two prices": ("--price", "cheap"),
    "--parameters is not valid JSON": ("--parameters", "{"),
    "--question-only is for readers": ("--question-only",),
    "no such file": ("--prompt", "nowhere.txt"),
}


@pytest.mark.parametrize("said", MISTAKES)
def test_a_mistake_is_one_line(said: str, news: Corpus, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from cloze.cli.main import app

    words = ["evaluate", news.path, "--endpoint", "http://127.0.0.1:1/v1", "--model", "m"]
    words += ["--out", tmp_path / "out", *MISTAKES[said]]
    done = CliRunner().invoke(app, list(map(str, words)))
    assert said in str(done.exception)
