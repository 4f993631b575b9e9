"""Predictions are read as they were written; any other file is refused in one line."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze.answering import Ranking, ranked
from cloze.errors import UserError
from cloze.evaluation import predictions
from cloze.evaluation.metrics import load
from cloze.evaluation.predictions import About, Predictions, Writer
from tests.conftest import document_of, question_of

ABOUT = About("Attentive Reader", "little", "abc", "valid", {"seed": 3}, corpus_path="/where")


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    document = document_of("@entity1 met @entity0 and @entity1 left")
    question = question_of("@placeholder left", 1, document)
    weights = np.arange(12, dtype=np.float32).reshape(2, 6) / 66
    said = Ranking(np.array([0, 1]), np.array([0.75, 0.25]), weights, outside=True, why="a rule")
    with Writer(path, ABOUT) as writer:
        writer.add(document, question, said, [1, 0])
        writer.add(document, question, ranked([], []))
    found = Predictions(path)
    rows = found.columns.to_pylist()
    assert rows[0]["candidates"] == [0, 1]
    assert rows[0]["scores"] == [0.75, 0.25]
    assert (rows[0]["outside"], rows[0]["why"]) == (True, "a rule")
    assert (rows[1]["outside"], rows[1]["why"]) == (False, "")
    assert rows[0]["permuted_answers"] == [1, 0]
    assert (rows[0]["document_tokens"], rows[0]["question_tokens"]) == (6, 2)
    assert (rows[0]["entities"], rows[0]["frequency_rank"]) == (2, 1)
    assert rows[1]["candidates"] == []
    assert rows[1]["permuted_answers"] is None
    ((name, back),) = found.attention({question.id, "unknown"})
    assert name == question.id
    np.testing.assert_allclose(back, weights, atol=1e-3)
    about = found.about
    assert (about.model, about.settings, about.corpus_path) == (
        "Attentive Reader",
        {"seed": 3},
        "/where",
    )


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
    source = Predictions(path)
    assert source.columns.column("candidates").to_pylist()[1199] == [1, 0]
    wanted = {asked[k].id for k in (0, 511, 512, 1199)}
    found = {name: back[0, 0] for name, back in source.attention(wanted)}
    assert found == {asked[k].id: k for k in (0, 511, 512, 1199)}


def test_the_best_candidates_of_each_question(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0 and @entity5")
    asked = [question_of("@placeholder left", 1, document, k) for k in range(3)]
    said = [ranked([5, 1, 0], [0.5, 0.3, 0.2]), ranked([], []), ranked([1], [0.9])]
    path = tmp_path / "p.parquet"
    predictions.write(path, ABOUT, zip([document] * 3, asked, said, strict=True))
    best, scores = Predictions(path).top(2)
    assert best.tolist() == [[5, 1], [-1, -1], [1, -1]]
    np.testing.assert_allclose(scores, [[0.5, 0.3], [0, 0], [0.9, 0]], rtol=1e-6)


def test_a_failing_model_leaves_no_file(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0")

    def answered():
        yield document, question_of("@placeholder", 1, document), ranked([1], [1.0])
        raise RuntimeError("the model fell over")

    with pytest.raises(RuntimeError, match="fell over"):
        predictions.write(tmp_path / "p.parquet", ABOUT, answered())
    assert list(tmp_path.iterdir()) == []


def test_format_1_is_still_read(tmp_path: Path) -> None:
    """It had one column, `note`, which held "outside" or the rule that answered."""
    path = tmp_path / "old.parquet"
    notes = ["outside", "exact match", ""]
    columns = {
        "question_id": ["q0", "q1", "q2"],
        "document_id": ["d0", "d0", "d1"],
        "answer": pa.array([4, 4, 7], pa.int32()),
        "candidates": pa.array([[4, 1], [4, 1], [7]], pa.list_(pa.int32())),
        "scores": pa.array([[0.5, 0.25], [0.75, 0.25], [1.0]], pa.list_(pa.float32())),
        "document_tokens": pa.array([3, 3, 2], pa.int32()),
        "question_tokens": pa.array([2, 2, 2], pa.int32()),
        "entities": pa.array([2, 2, 1], pa.int32()),
        "frequency_rank": pa.array([1, 1, 1], pa.int32()),
        "note": notes,
        "permuted_answers": pa.array([None] * 3, pa.list_(pa.int32())),
        "attention": pa.array([[0.5, 0.25, 0.25], None, None], pa.list_(pa.float16())),
    }
    head = {"format": 1, "model": "Old", "corpus": "c", "corpus_fingerprint": "f", "split": "valid"}
    table = pa.table(columns).replace_schema_metadata({"cloze": json.dumps(head)})
    pq.write_table(table, path)

    found = Predictions(path)
    read = found.columns
    assert [*read.column_names, "attention"] == predictions.SCHEMA.names
    assert read.column("outside").to_pylist() == [True, False, False]
    assert read.column("why").to_pylist() == ["", "exact match", ""]
    model = load(path)
    assert model.predicted.tolist() == [-1, 4, 7]
    assert model.name == "Old"
    ((name, weights),) = found.attention({"q0", "q1"})
    assert (name, weights.tolist()) == ("q0", [[0.5, 0.25, 0.25]])


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        Predictions(tmp_path / "none.parquet")
    text = tmp_path / "text.parquet"
    text.write_text("hello")
    with pytest.raises(UserError, match="not a readable Parquet file"):
        Predictions(text)
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"x": [1]}), other)
    with pytest.raises(UserError, match="not a file of predictions"):
        Predictions(other)
    old = tmp_path / "old.parquet"
    table = pa.table({"x": [1]}).replace_schema_metadata({"cloze": '{"format": 99}'})
    pq.write_table(table, old)
    with pytest.raises(UserError, match="format 99"):
        Predictions(old)
