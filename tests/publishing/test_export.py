"""Tests for language models as folders: what a harness would trip over, and what must not leak.

The harnesses themselves run in environments of their own: `make outside`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Point
from cloze.errors import UserError
from cloze.language_models.forms import Form, items
from cloze.language_models.prompts import Prompt
from cloze.newsroom.corpus import write_newsroom
from tests.conftest import document_of, question_of
from tests.scripts import module_of

FORMS = ["--form", "all"]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("news") / "corpus"
    write_newsroom(folder, count=3, held_out=3, seed=5)
    return Corpus.open(folder)


@pytest.fixture
def export(tmp_path: Path) -> Callable[..., Path]:
    def run(corpus: Corpus, *words: object) -> Path:
        out = tmp_path / "out"
        command = ["export", str(corpus.path), str(out), *map(str, words)]
        done = CliRunner().invoke(app, command)
        if done.exception is not None:
            raise done.exception
        return out

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def helper(folder: Path) -> Any:
    """The module that both harnesses call, loaded from the folder as they do."""
    return module_of(folder / "cloze_task.py")


class TaskFile(yaml.SafeLoader):
    """YAML as lm-evaluation-harness reads it, its functions as words."""


TaskFile.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@pytest.mark.parametrize("form", Form)
def test_records_are_the_questions_of_the_form(
    form: Form, news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", "lm-eval", *FORMS)
    found = lines(folder / "data" / f"{form}.jsonl")
    asked = [(item, p[0]) for p in news.read("test") for item in items(p, form)]
    for record, (item, document) in zip(found, asked, strict=True):
        assert record["candidates"][record["answer_index"]] == record["answer"]
        right = next(c for c in item.candidates if c.label == record["answer"])
        assert right.marker == item.answer
        assert (record["id"], record["document"]) == (item.question_id, document.id)
        assert (record["date"], record["url"]) == (document.date, document.url)
        assert (record["article"], record["question"]) == (item.article, item.question)


def test_prompts_are_those_of_evaluate_and_end_with_the_question(
    news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", "lm-eval", *FORMS)
    task = helper(folder)
    for form in Form:
        point = next(iter(news.read("test")))
        for record, item in zip(task.questions(form), items(point, form), strict=False):
            for interface in ("chat", "completions"):
                prompt = task.prompt(record, interface)
                assert prompt == Prompt.built_in(interface).fill(item)
                # What is cut on the left is the beginning of the article, never the question.
                assert record["question"] in prompt[-1500:]


def test_markers_have_one_width_and_none_begins_another(
    news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", "lm-eval")
    for record in lines(folder / "data" / "markers.jsonl"):
        assert len({len(label) for label in record["candidates"]}) == 1
        assert len(set(record["candidates"])) == len(record["candidates"])


def test_the_tasks_name_no_path_and_take_examples_from_elsewhere(
    news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", "lm-eval", *FORMS)
    tasks = [yaml.load(path.read_text("utf-8"), TaskFile) for path in folder.glob("*_*.yaml")]
    assert len(tasks) == 2 * len(Form)
    for task in tasks:
        assert task["fewshot_split"] == "examples" != task["test_split"]
        assert task["custom_dataset"] == "cloze_task.load"
        assert [metric["metric"] for metric in task["metric_list"]] in (["acc"], ["exact_match"])
    group = yaml.safe_load((folder / "newsroom.yaml").read_text("utf-8"))
    assert set(group["task"]) == {task["task"] for task in tasks}
    for path in folder.rglob("*"):
        assert not path.is_file() or str(folder.parent) not in path.read_text("utf-8")
    test = {record["document"] for record in lines(folder / "data" / "markers.jsonl")}
    shown = {record["document"] for record in lines(folder / "data" / "markers-examples.jsonl")}
    assert shown
    assert not test & shown


def dated(folder: Path) -> Corpus:
    """One split, whose articles are of different days, or of none."""
    points: list[Point] = []
    from dataclasses import replace

    for number, date in enumerate(["2026-10-30", "2026-11-01", "2026-11-02", None, "2026-11"] * 3):
        document = replace(document_of("@entity0 met @entity1 .", f"d{number}"), date=date)
        points.append((document, [question_of("@placeholder met @entity1", 0, document)]))
    write_shard(folder, "test", 0, points)
    return write_manifest(folder, name="dated", options={})


def test_only_later_articles_and_examples_never_from_the_test(
    tmp_path: Path, export: Callable[..., Path]
) -> None:
    corpus = dated(tmp_path / "dated")
    folder = export(corpus, "--format", "inspect", "--after", "2026-11-01")
    assert {r["date"] for r in lines(folder / "data" / "markers.jsonl")} == {"2026-11-02"}
    whole = export(corpus, "--format", "inspect", "--overwrite")
    test, shown = (
        {r["id"] for r in lines(whole / "data" / name)}
        for name in ("markers.jsonl", "markers-examples.jsonl")
    )
    assert len(test) + len(shown) == 15
    assert not test & shown
    assert shown
    with pytest.raises(UserError, match="no question is left"):
        export(corpus, "--format", "inspect", "--after", "2027", "--overwrite")


@pytest.mark.parametrize("harness", ["lm-eval", "inspect"])
def test_the_canary_is_in_every_file(
    harness: str, news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", harness, *FORMS, "--without-answers")
    canary = lines(folder / "data" / "markers.jsonl")[0]["canary"]
    files = [path for path in folder.rglob("*") if path.is_file()]
    files.append(folder.with_name("out-answers.jsonl"))
    for path in files:
        text = path.read_text("utf-8")
        assert canary in text, path
        if path.suffix == ".jsonl":
            assert all(canary in line for line in text.splitlines())


def test_without_answers_they_are_nowhere_but_beside(
    news: Corpus, export: Callable[..., Path]
) -> None:
    folder = export(news, "--format", "inspect", *FORMS, "--without-answers")
    for form in Form:
        for record in lines(folder / "data" / f"{form}.jsonl"):
            assert not {"answer", "answer_index"} & record.keys()
    with pytest.raises(SystemExit, match="the answers are not published"):
        helper(folder).questions("markers")
    (folder.with_name("out-answers.jsonl")).rename(folder / "answers.jsonl")
    for form in Form:
        asked = [item for p in news.read("test") for item in items(p, form)]
        for record, item in zip(helper(folder).questions(form), asked, strict=True):
            right = next(c.label for c in item.candidates if c.marker == item.answer)
            assert record["answer"] == right == record["candidates"][record["answer_index"]]


def test_the_answers_are_beside_the_folder_that_one_is_in(
    news: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    command = ["export", str(news.path), ".", "--format", "inspect", "--without-answers"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "here-answers.jsonl").is_file()
    assert (tmp_path / "here" / "README.md").is_file()


def test_inspect_s_task_is_short_and_compiles(news: Corpus, export: Callable[..., Path]) -> None:
    folder = export(news, "--format", "inspect", "--name", "My news, Nov. 2026")
    text = (folder / "my_news_nov_2026.py").read_text("utf-8")
    compile(text, "task", "exec")
    assert len(text.splitlines()) <= 40
    found = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))
    assert found["evaluation_framework"] == "inspect-ai"
    assert found["tasks"] == [
        {"id": "my_news_nov_2026_markers", "config": "markers", "split": "test"}
    ]
    head = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---")[1])
    for config in head["configs"]:
        assert all((folder / each["path"]).is_file() for each in config["data_files"])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("@entity01", "@entity01"),
        ("It is @entity02.", "@entity02"),
        ("@entity01 met @entity00", "@entity01"),  # the question names @entity00 itself
        ("@entity01 or @entity02", "[none]"),
        ("@entity011", "[none]"),
        ("", "[none]"),
    ],
)
def test_what_a_reply_means(
    reply: str, answer: str, news: Corpus, export: Callable[..., Path]
) -> None:
    task = helper(export(news, "--format", "lm-eval"))
    labels = ["@entity00", "@entity01", "@entity02"]
    question = {"candidates": labels, "question": "@placeholder met @entity00"}
    assert task.named(reply, question) == answer
    assert task.filter_replies([[reply]], [question]) == [[answer]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "csv"), "there is no format"),
        (("--after", "2026"), "are for tests"),
        (("--format", "inspect", "--after", "soon"), "is not a date"),
        (("--format", "inspect", "--form", "poem"), "there is no form"),
        (("--format", "inspect", "--split", "test", "--split", "valid"), "has one split"),
    ],
)
def test_a_mistake_is_one_line(
    words: tuple[str, ...], said: str, news: Corpus, export: Callable[..., Path]
) -> None:
    with pytest.raises(UserError, match=said):
        export(news, *words)
