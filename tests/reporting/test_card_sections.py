"""What a reader's card says of its answers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.metrics import load
from cloze.evaluation.run import run
from cloze.readers.reader import Reader
from cloze.reporting.card_sections import card_sections
from tests.evaluation.conftest import answers_of, write_model
from tests.readers.test_reader import reader_of

Make = Callable[..., tuple[Corpus, list[Point]]]


def test_the_sections(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(25, longest=6)
    path = write_model(tmp_path, corpus, answers_of(points, 0.6), "M")
    answers = load(path)
    found = card_sections([path], corpus)
    assert list(found) == ["How well it does", "What it gets wrong"]
    right = f"| press valid | {len(answers)} | {100 * answers.accuracy:.1f} | ["
    assert right in found["How well it does"]
    wrong = found["What it gets wrong"]
    assert wrong.startswith(f"The {(~answers.correct).sum()} wrong answers on press valid")
    shares = [float(line.split("|")[2]) for line in wrong.splitlines()[4:]]
    assert sum(shares) == pytest.approx(100, abs=0.5)
    assert shares == sorted(shares, reverse=True)


def test_the_command(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(8, longest=4)
    reader_of(output="candidates").save_pretrained(tmp_path / "model", sections={"Notes": "mine"})
    predictions = run(Reader.from_pretrained(tmp_path / "model"), corpus, "valid", tmp_path / "p")
    for _ in range(2):
        done = CliRunner().invoke(app, ["card", str(tmp_path / "model"), str(predictions)])
        assert done.exit_code == 0, done.output
    card = (tmp_path / "model" / "README.md").read_text()
    assert card.count("## How well it does") == card.count("## What it gets wrong") == 1
    assert card.index("## Notes\nmine") < card.index("## What it gets wrong")
    assert "## Limits" in card
    Reader.from_pretrained(tmp_path / "model")
    other = write_model(tmp_path, corpus, answers_of(points, 0.5), "Another")
    refused = CliRunner().invoke(app, ["card", str(tmp_path / "model"), str(other)])
    assert isinstance(refused.exception, UserError)
    assert "the answers of another reader" in str(refused.exception)
