"""Models whose figures are known beforehand, and files that do not fit together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking, ranked
from cloze.errors import UserError
from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import agreement, compare, load, right_together
from cloze.evaluation.predictions import About, write
from cloze.report.curves import (
    by_entities,
    by_frequency_rank,
    by_length,
    precision_at_recall,
    up_to_length,
)
from cloze.report.figures import PLOTS, draw
from cloze.report.tables import accuracy_table, as_csv, as_latex, as_markdown, as_text
from tests.conftest import document_of, question_of
from tests.evaluation.conftest import press

ABOUT = About("A model", "little", "abc", "valid", kind="baseline")


def _points(case: str):
    if case == "one question":
        document = document_of("@entity1 met @entity0 .")
        return [(document, [question_of("@placeholder left", 1, document)])]
    if case == "one token":
        document = document_of("@entity0")
        return [(document, [question_of("@placeholder", 0, document)])]
    return press(12)


def _answer(case: str, document, question) -> Ranking:
    candidates = document.candidates()
    if case == "always wrong":
        candidates = [m for m in candidates if m != question.answer]
    elif case not in ("no candidates", "constant confidence"):
        candidates = [question.answer, *(m for m in candidates if m != question.answer)]
    if case == "no candidates":
        return ranked([], [])
    if case == "constant confidence":
        return Ranking(np.array(candidates), np.full(len(candidates), 1 / len(candidates)))
    scores = 0.5 ** np.arange(1, len(candidates) + 1)
    weights = np.full(len(document.context), 1 / len(document.context))
    return Ranking(np.array(candidates), scores, weights)


@pytest.mark.parametrize(
    ("case", "accuracy"),
    [
        ("always right", 1.0),
        ("always wrong", 0.0),
        ("constant confidence", None),
        ("one question", 1.0),
        ("one token", 1.0),
        ("no candidates", 0.0),
    ],
)
def test_known_models(case: str, accuracy: float | None, tmp_path: Path) -> None:
    """Every table, curve and figure can be made, and says what it must."""
    path = tmp_path / "p.parquet"
    points = _points(case)
    write(path, ABOUT, ((d, q, _answer(case, d, q)) for d, asked in points for q in asked))
    (comparison,) = compare([path])
    (model,) = comparison.models
    if accuracy is not None:
        assert model.accuracy == accuracy
        _, precision = precision_at_recall(model)
        assert set(precision) == {accuracy}
    for curve in (by_length, up_to_length, by_entities, by_frequency_rank):
        found = curve(model)
        assert found
        for point in found:
            assert 0 <= point.low <= point.share <= point.high <= 1
            assert accuracy is None or point.share == accuracy
    table = accuracy_table([comparison])
    shown = f"{100 * model.accuracy:.1f}"
    for form in (as_text, as_markdown, as_latex):
        assert shown in form(table)
    assert f"{100 * model.accuracy:.3f}".rstrip("0").rstrip(".") in as_csv(table)
    for plot in PLOTS:
        figure = draw(plot, comparison, [plot.curve(model)])
        if case == "one token":  # the narrowest axes of all must still be drawn
            figure.savefig(tmp_path / "figure.svg")


def test_constant_confidence_has_a_flat_curve(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    points = press(30)
    document_first = (
        (d, q, Ranking(np.array(d.candidates()), np.full(len(d.candidates()), 0.01)))
        for d, asked in points
        for q in asked
    )
    write(path, ABOUT, document_first)
    model = load(path)
    _, precision = precision_at_recall(model)
    np.testing.assert_allclose(precision, model.accuracy)


def test_one_document_says_almost_nothing() -> None:
    one = interval(np.array([True, False]), np.array([0, 0]))
    assert (one.low, one.high) == (0, 1)
    sure = interval(np.array([True]), np.array([0]))
    assert sure.low == pytest.approx(0.025)


def test_no_questions_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    write(path, ABOUT, [])
    with pytest.raises(UserError, match="holds no questions"):
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


def test_a_word_outside_the_candidates_is_wrong(tmp_path: Path) -> None:
    """A reader that finds some word likelier than every entity has answered with that word."""
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
