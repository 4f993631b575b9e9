"""Predictions come back as they were written; what is not predictions is refused in one line."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze.answering import Ranking, ranked
from cloze.errors import UserError
from cloze.evaluation import predictions
from cloze.evaluation.predictions import About, Writer
from tests.conftest import document_of, question_of

ABOUT = About("Attentive Reader", "little", "abc", "valid", {"seed": 3}, corpus_path="/where")


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    document = document_of("@entity1 met @entity0 and @entity1 left")
    question = question_of("@placeholder left", 1, document)
    weights = np.arange(12, dtype=np.float32).reshape(2, 6) / 66
    said = Ranking(np.array([0, 1]), np.array([0.75, 0.25]), weights, "a rule")
    with Writer(path, ABOUT) as writer:
        writer.add(document, question, said, [1, 0])
        writer.add(document, question, ranked([], []))
    rows = predictions.read(path).to_pylist()
    assert rows[0]["candidates"] == [0, 1]
    assert rows[0]["scores"] == [0.75, 0.25]
    assert rows[0]["note"] == "a rule"
    assert rows[0]["permuted_answers"] == [1, 0]
    assert (rows[0]["document_tokens"], rows[0]["question_tokens"]) == (6, 2)
    assert (rows[0]["entities"], rows[0]["frequency_rank"]) == (2, 1)
    assert rows[1]["candidates"] == []
    assert rows[1]["permuted_answers"] is None
    assert rows[1]["attention"] is None
    ((name, back),) = predictions.attention(path, {question.id, "unknown"})
    assert name == question.id
    np.testing.assert_allclose(back, weights, atol=1e-3)
    read = predictions.about(path)
    assert (read.model, read.settings, read.corpus_path) == (
        "Attentive Reader",
        {"seed": 3},
        "/where",
    )
    assert read.seconds >= 0


def test_more_questions_than_a_group(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0")
    asked = [question_of("@placeholder left", 1, document, k) for k in range(1200)]
    answered = (
        (
            document,
            q,
            Ranking(np.array([k % 2, 1 - k % 2]), np.array([1.0, 0.0]), np.array([k, 1, 2])),
        )
        for k, q in enumerate(asked)
    )
    path = tmp_path / "p.parquet"
    assert predictions.write(path, ABOUT, answered) == 1200
    assert predictions.read(path, ["candidates"]).to_pylist()[1199] == {"candidates": [1, 0]}
    wanted = {asked[k].id for k in (0, 511, 512, 1199)}
    found = {name: back[0, 0] for name, back in predictions.attention(path, wanted)}
    assert found == {asked[k].id: k for k in (0, 511, 512, 1199)}


def test_a_failing_model_leaves_no_file(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0")

    def answered():
        yield document, question_of("@placeholder", 1, document), ranked([1], [1.0])
        raise RuntimeError("the model fell over")

    with pytest.raises(RuntimeError, match="fell over"):
        predictions.write(tmp_path / "p.parquet", ABOUT, answered())
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        predictions.about(tmp_path / "none.parquet")
    text = tmp_path / "text.parquet"
    text.write_text("hello")
    with pytest.raises(UserError, match="not a readable Parquet file"):
        predictions.about(text)
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"x": [1]}), other)
    with pytest.raises(UserError, match="not a file of predictions"):
        predictions.read(other)
    old = tmp_path / "old.parquet"
    table = pa.table({"x": [1]}).replace_schema_metadata({"cloze": '{"format": 99}'})
    pq.write_table(table, old)
    with pytest.raises(UserError, match="format 99"):
        predictions.read(old)
