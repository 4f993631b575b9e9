"""A folder with what the documented commands read: small, made in seconds, under their names."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from typer.testing import CliRunner

import cloze
from cloze.cli.main import app
from cloze.corpus.exchange import export_questions
from cloze.corpus.store import Corpus
from tests.commands.taken import ROOT

SMALL = ("reader.hidden_size=8", "run.steps=1", "run.validate_every=1", "run.device=cpu")


def run(words: Sequence[object]) -> str:
    """Run `cloze` in this process; returns what it printed."""
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return str(done.output)


def make_world(place: Path) -> None:
    """The current folder must be `place`."""
    place.mkdir(exist_ok=True)
    for folder in ("configs", "tests", "src", "experiments"):
        (place / folder).symlink_to(ROOT / folder)
    run(["newsroom", "corpus", "--stories", 8, "--held-out", 4])
    run(["newsroom", "news.jsonl", "--raw", "--stories", 3])
    shutil.copy("news.jsonl", "stories.jsonl")
    corpus = Corpus.open("corpus")
    export_questions(corpus, Path("questions.tar"), corpus.splits)
    shutil.copytree("corpus", "cnn")
    export_questions(corpus, Path("published"), corpus.splits)
    shutil.copytree("published/questions", "cnn/questions", dirs_exist_ok=True)
    run(["encode", "corpus", "encoded"])
    for kind in ("attentive", "impatient"):
        config, out = f"newsroom/{kind}", f"out=runs/{kind}"
        run(["train", config, "encoded=encoded", out, *SMALL])
    run(["evaluate", "runs/attentive", "runs/impatient", "corpus", "--attention", "--limit", 6])
    article = cloze.story("ferry").article
    for name in ("article.txt", "news.txt"):
        Path(name).write_text(article, encoding="utf-8")
    line = {"article": article, "questions": ["The X ran aground"]}
    Path("questions.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
