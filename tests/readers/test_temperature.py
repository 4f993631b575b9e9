"""A reader that was calibrated: its probabilities, its folder and its card."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.confidence import Confidence, Level
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.calibration import calibration_error
from cloze.evaluation.metrics import load
from cloze.evaluation.run import run
from cloze.readers.reader import Reader
from tests.evaluation.conftest import answers_of, make_press, write_model
from tests.readers.cases import KINDS, outputs
from tests.readers.points import points_of
from tests.readers.test_reader import reader_of

__all__ = ["make_press"]

RECORD = Confidence(
    temperature=2.5,
    corpus="press",
    split="valid",
    questions=60,
    error=0.02,
    levels=[Level(least=0.1, answers=30, right=10), Level(least=0.4, answers=30, right=27)],
)
Make = Callable[..., tuple[Corpus, list[Point]]]


@pytest.mark.parametrize(("kind", "output"), [(k, o) for k in KINDS for o in outputs(k)])
def test_the_temperature_divides_the_logits_of_the_candidates(kind: str, output: str) -> None:
    reader = reader_of(kind, output=output)
    points = points_of(3, documents=4)
    before = [ranking for rankings in reader.answer(points) for ranking in rankings]
    reader.confidence = RECORD
    after = [ranking for rankings in reader.answer(points) for ranking in rankings]
    for cold, warm in zip(before, after, strict=True):
        powers = cold.scores.astype(float) ** (1 / 2.5)
        shares = dict(zip(warm.candidates.tolist(), warm.scores.tolist(), strict=True))
        found = [shares[marker] for marker in cold.candidates.tolist()]  # equals have no order
        np.testing.assert_allclose(found, powers / powers.sum(), rtol=1e-4)
        np.testing.assert_allclose(warm.scores, sorted(found, reverse=True))
        assert warm.outside == cold.outside
        assert cold.meaning is None
        assert cold.sure is None
        assert warm.sure == (warm.scores[0] >= np.float32(0.4))
        assert warm.meaning == RECORD.meaning(float(warm.scores[0]))


def test_it_is_stored_with_the_model(tmp_path: Path) -> None:
    reader = reader_of()
    reader.save_pretrained(tmp_path / "model", sections={"Curves": "see *here*"})
    weights = (tmp_path / "model" / "model.safetensors").read_bytes()
    loaded = Reader.from_pretrained(tmp_path / "model")
    assert loaded.confidence is None
    for _ in range(2):  # calibrating again replaces what was there
        loaded.calibrate(RECORD)
        again = Reader.from_pretrained(tmp_path / "model")
        assert again.confidence == RECORD
        assert again.settings["temperature"] == 2.5
        card = (tmp_path / "model" / "README.md").read_text()
        assert card.count("## Confidence") == 1
        assert card.index("## Curves") < card.index("## Confidence") < card.index("## Config\n")
        assert "| 0.400 | 30 | 90.0% |" in card
        assert "not calibrated" not in card
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == weights
    again.save_pretrained(tmp_path / "copy")
    assert Reader.from_pretrained(tmp_path / "copy").confidence == RECORD
    assert "temperature 2.500" in (tmp_path / "copy" / "README.md").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperature": 0}, "temperature"),
        ({"temperature": "warm"}, "temperature"),
        ({"levels": []}, "levels"),
        ({"levels": [{"least": 2, "answers": 3, "right": 1}]}, "least"),
    ],
)
def test_a_record_that_cannot_be_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    reader = reader_of()
    reader.confidence = RECORD
    reader.save_pretrained(tmp_path / "model")
    head = json.loads((tmp_path / "model" / "config.json").read_text())
    head["confidence"] |= change
    (tmp_path / "model" / "config.json").write_text(json.dumps(head))
    with pytest.raises(UserError, match=message):
        Reader.from_pretrained(tmp_path / "model")


def test_the_command(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(30, longest=6)
    reader_of(output="candidates").save_pretrained(tmp_path / "model")
    predictions = run(Reader.from_pretrained(tmp_path / "model"), corpus, "valid", tmp_path / "p")
    done = CliRunner().invoke(app, ["calibrate", str(tmp_path / "model"), str(predictions)])
    assert done.exit_code == 0, done.output
    assert "temperature" in done.output
    reader = Reader.from_pretrained(tmp_path / "model")
    assert reader.confidence is not None
    again = load(run(reader, corpus, "valid", tmp_path / "again"))
    error = calibration_error(again.confidence, again.correct)
    assert error == pytest.approx(reader.confidence.error, abs=1e-4)
    other = write_model(tmp_path, corpus, answers_of(points, 0.5), "Another")
    refused = CliRunner().invoke(app, ["calibrate", str(tmp_path / "model"), str(other)])
    assert isinstance(refused.exception, UserError)
    assert "the answers of another reader" in str(refused.exception)
