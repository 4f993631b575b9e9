"""Models whose figures are known in advance."""

from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking, ranked
from cloze.evaluation.metrics import compare, load
from cloze.evaluation.predictions import About, write
from cloze.reporting.accuracy import accuracy_table, as_csv, as_table
from cloze.reporting.figures import plots
from cloze.reporting.figures.precision_at_recall import precision_at_recall
from cloze.reporting.plot import draw
from cloze.tables import as_latex, as_markdown, as_text
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
    """Every table, curve and figure can be made, and says what it should."""
    path = tmp_path / "p.parquet"
    points = _points(case)
    write(path, ABOUT, ((d, q, _answer(case, d, q)) for d, asked in points for q in asked))
    (comparison,) = compare([path])
    (model,) = comparison.models
    if accuracy is not None:
        assert model.accuracy == accuracy
        _, precision = precision_at_recall(model)
        assert set(precision) == {accuracy}
    (training,) = (plot for plot in plots() if plot.slug == "training")
    assert not training.curve(model)  # none of these was trained
    drawn = [plot for plot in plots() if plot.slug != "training"]
    for plot in drawn:
        found = plot.curve(model)
        assert found
        for point in found:
            if np.isnan(point.low):  # precision at recall has no interval
                continue
            assert 0 <= point.low <= point.share <= point.high <= 1
            assert accuracy is None or point.share == accuracy
    table = accuracy_table([comparison])
    shown = f"{100 * model.accuracy:.1f}"
    for form in (as_text, as_markdown, as_latex):
        assert shown in form(as_table(table))
    assert f"{100 * model.accuracy:.3f}".rstrip("0").rstrip(".") in as_csv(table)
    for plot in drawn:
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
