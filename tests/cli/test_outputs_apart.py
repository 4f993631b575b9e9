"""No command writes over, into or around what it reads."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.readers.shipped_models import shipped_models
from tests.builder.newsroom_source import all_bytes, write_source

COMMANDS = {
    "export": ("export corpus corpus --overwrite", "is the input"),
    "export around": ("export corpus . --overwrite", "holds the input"),
    "export into": ("export corpus corpus/questions", "lies in the input"),
    "export a tar into": ("export corpus corpus/all.tar", "lies in the input"),
    "import": ("import questions questions --overwrite", "is the input"),
    "import into": ("import questions questions/train", "lies in the input"),
    "import around a tar": ("import deep/all.tar deep --overwrite", "holds the input"),
    "build": ("build news.jsonl news.jsonl --spans spans.jsonl --overwrite", "is the input"),
    "build over spans": (
        "build news.jsonl spans.jsonl --spans spans.jsonl --overwrite",
        "is the input",
    ),
    "build over a list": (
        "build news.jsonl ids.txt --spans spans.jsonl --split ids:valid=ids.txt --overwrite",
        "is the input",
    ),
    "build by another way": (
        "build train=stories/a.story/../../stories out/../stories/x --workers 1",
        "lies in the input",
    ),
    "build around": ("build deep/deeper/news.jsonl deep --overwrite", "holds the input"),
    "build through a link": ("build link link --overwrite", "is the input"),
    "build into where a link leads": ("build link stories --overwrite", "is the input"),
    "annotate": ("annotate news.jsonl news.jsonl --overwrite", "is the input"),
    "annotate into": ("annotate stories stories/spans.jsonl", "lies in the input"),
    "encode": ("encode corpus corpus", "lies in the input"),
    "encode a corpus named as its split": ("encode train .", "is the input"),
    "evaluate": (
        "evaluate --baseline maximum-frequency corpus --out corpus",
        "lies in the input",
    ),
    "evaluate into the model": ("evaluate model corpus --out model", "lies in the input"),
    "evaluate into a run's model": ("evaluate run corpus --out run/model/x", "lies in the input"),
    "evaluate into the arrays": (
        "evaluate model corpus --encoded encoded --out encoded",
        "lies in the input",
    ),
    "train into the corpus": ("train some.yaml corpus=corpus out=corpus", "lies in the input"),
    "train into the arrays": ("train some.yaml encoded=encoded out=encoded/x", "lies in the input"),
    "train over its start": (
        "train some.yaml encoded=encoded out=run start_from=run/model",
        "is the input",
    ),
    "train over its arrays": (
        "train some.yaml corpus=corpus encoded=run/best out=run",
        "is the input",
    ),
    "search into the corpus": (
        "search search.yaml corpus=corpus --out corpus",
        "lies in the input",
    ),
    "search over its config": ("search best.yaml corpus=corpus --out .", "is the input"),
    "search over its base": ("search deep/search.yaml corpus=corpus --out deep", "is the input"),
    "search around its start": (
        "search search.yaml corpus=corpus start_from=trials/x --out .",
        "holds the input",
    ),
    "report": ("report predictions --out predictions", "lies in the input"),
    "report into": ("report predictions --out corpus", "lies in the input"),
    "heatmap": ("heatmap predictions --out predictions", "lies in the input"),
    "audit": ("audit corpus --out corpus/audit.html", "lies in the input"),
    "prune": ("prune model model --overwrite", "is the input"),
}


@pytest.fixture
def here(tmp_path: Path, make_corpus: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    make_corpus()
    monkeypatch.chdir(tmp_path)
    shutil.copytree("corpus", "train")
    write_source(Path(), 2)
    Path("ids.txt").write_text("x")
    Path("stories").mkdir()
    Path("stories", "a.story").write_text("Rain.\n\n@highlight\n\nRain")
    Path("link").symlink_to("stories")
    Path("deep", "deeper").mkdir(parents=True)
    shutil.copy("news.jsonl", "deep/deeper/news.jsonl")
    shutil.copytree(shipped_models()[0], "model")
    shutil.copytree("model", "run/model")
    Path("some.yaml").write_text("reader: {kind: uniform}")
    Path("deep/best.yaml").write_text("reader: {kind: uniform}")
    for name, base in (("search", "some"), ("best", "some"), ("deep/search", "best")):
        Path(f"{name}.yaml").write_text(f"base: {base}.yaml\nspace: {{run.seed: [1, 2]}}")
    for command in (
        "export corpus questions",
        "export corpus deep/all.tar",
        "evaluate --baseline maximum-frequency corpus --out predictions",
    ):
        CliRunner().invoke(app, command.split(), catch_exceptions=False)
    return tmp_path


def test_an_output_is_apart_from_every_input(here: Path) -> None:
    before = all_bytes(here)
    Corpus.open("corpus")
    for name, (command, message) in COMMANDS.items():
        result = CliRunner().invoke(app, command.split())
        assert isinstance(result.exception, UserError), (name, result.exception)
        assert message in str(result.exception), name
    assert all_bytes(here) == before


def test_a_folder_that_things_are_put_into_may_hold_the_input(here: Path) -> None:
    for command in (
        "evaluate --baseline maximum-frequency corpus --out .",
        "report predictions --out . --corpus corpus",
    ):
        result = CliRunner().invoke(app, command.split(), catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert (here / "index.html").is_file()
