"""Models whose figures are known in advance, and files that do not fit together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking, ranked
from cloze.errors import UserError
from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import agreement, compare, load, right_together
from cloze.evaluation.predictions import About, write
from tests.conftest import document_of, question_of
from tests.evaluation.conftest import press

ABOUT = About("A model", "little", "abc", "valid", kind="baseline")


def test_one_document_says_almost_nothing() -> None:
    one = interval(np.array([True, False]), np.array([0, 0]))
    assert (one.low, one.high) == (0, 1)
    sure = interval(np.array([True]), np.array([0]))
    assert sure.low == pytest.approx(0.025)


def test_no_questions_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    write(path, ABOUT, [])
    with pytest.raises(UserError, match="has no questions"):
        load(path)


def test_scores_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0")
    bad = Ranking(np.array([0]), np.array([np.nan]))
    write(
        tmp_path / "p.parquet", ABOUT, [(document, question_of("@placeholder", 0, document), bad)]
    )
    with pytest.raises(UserError, match="NaN"):
        load(tmp_path / "p.parquet")


def test_confidence_is_probability_or_margin(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0 and @entity2")
    asked = [question_of("@placeholder", 1, document, k) for k in range(3)]

    def loaded(*scores: list[float]):
        answers = [Ranking(np.arange(len(s)), np.array(s)) for s in scores]
        write(tmp_path / "p.parquet", ABOUT, zip([document] * 3, asked, answers, strict=False))
        return load(tmp_path / "p.parquet")

    sure = loaded([0.5, 0.25], [0.75, 0.25])
    assert sure.confidence_is == "probability"
    assert sure.confidence.tolist() == [0.5, 0.75]
    counted = loaded([5, 2, 1], [-3, -8], [4])
    assert counted.confidence_is == "margin"
    assert counted.confidence.tolist() == [3, 5, np.inf]
    silent = loaded([0.0, 0.0], [0.0, 0.0, 0.0])  # a language model that never named a candidate
    assert silent.confidence_is == "margin"


def test_a_word_outside_the_candidates_is_wrong(tmp_path: Path) -> None:
    """If a reader finds some word likelier than every entity, its answer is that word."""
    document = document_of("@entity1 met @entity0")
    said = Ranking(np.array([1, 0]), np.array([0.9, 0.1]), outside=True)
    write(
        tmp_path / "p.parquet", ABOUT, [(document, question_of("@placeholder", 1, document), said)]
    )
    model = load(tmp_path / "p.parquet")
    assert model.accuracy == 0
    assert model.predicted.tolist() == [-1]
    assert model.place.tolist() == [1]


def _two(tmp_path: Path, first: About, second: About, *, skip: int = 0) -> list[Path]:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, about, left_out in zip(paths, (first, second), (0, skip), strict=True):
        rows = [(d, q, ranked([q.answer], [1.0])) for d, asked in press(8) for q in asked][
            left_out:
        ]
        write(path, about, rows)
    return paths


def test_only_common_questions_are_compared(tmp_path: Path) -> None:
    (found,) = compare(_two(tmp_path, ABOUT, replace(ABOUT, model="B"), skip=3))
    a, b = found.models
    assert found.left_out == 3
    assert a.question_ids.tolist() == b.question_ids.tolist()
    assert len(a) == len(b)


def test_two_runs_of_one_model_get_names_of_their_own(tmp_path: Path) -> None:
    (found,) = compare(_two(tmp_path, ABOUT, ABOUT))
    assert [model.name for model in found.models] == ["A model (a)", "A model (b)"]


def test_different_builds_of_a_corpus_are_not_compared(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="2 different builds"):
        compare(_two(tmp_path, ABOUT, replace(ABOUT, model="B", corpus_fingerprint="xyz")))


def test_splits_and_corpora_stay_apart(tmp_path: Path) -> None:
    found = compare(_two(tmp_path, replace(ABOUT, split="test"), ABOUT))
    assert [c.title for c in found] == ["little valid", "little test"]


def test_agreement_counts_equal_answers(tmp_path: Path) -> None:
    document = document_of("@entity1 met @entity0 and @entity2")
    asked = [question_of("@placeholder", 1, document, k) for k in range(4)]
    for name, said in (("a", [1, 1, 0, 2]), ("b", [1, 0, 0, 0])):
        rows = [(document, q, ranked([m], [1.0])) for q, m in zip(asked, said, strict=True)]
        write(tmp_path / f"{name}.parquet", replace(ABOUT, model=name), rows)
    (found,) = compare([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    assert agreement(found.models).tolist() == [[1, 0.5], [0.5, 1]]
    assert right_together(found.models) == {"all": 0.25, "none": 0.5, "any": 0.5}
