"""The curves of the figures, recomputed in a few independent lines."""

from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cloze.evaluation.calibration import error_of
from cloze.evaluation.metrics import Answers, Comparison, load
from cloze.evaluation.predictions import About, write
from cloze.reporting import figures
from cloze.reporting.figures import (
    accuracy_by_entities,
    accuracy_by_frequency,
    plots,
    precision_at_recall,
    precision_by_length,
    precision_up_to_length,
    reliability,
    risk_at_coverage,
    training,
)
from cloze.reporting.plot import draw, save
from tests.evaluation.conftest import answers_of, press


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    path = tmp_path_factory.mktemp("curves") / "p.parquet"
    write(path, About("M", "press", "x", "valid"), answers_of(press(150, seed=2), 0.6))
    return load(path)


@pytest.fixture(scope="module")
def rows(model: Answers) -> list[dict]:
    """One plain dict for each question."""
    names = (
        "correct",
        "confidence",
        "document_tokens",
        "entities",
        "frequency_rank",
        "document_ids",
    )
    columns = {name: getattr(model, name).tolist() for name in names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _accuracy(rows: list[dict]) -> float:
    return sum(row["correct"] for row in rows) / len(rows)


def test_precision_at_recall(model: Answers, rows: list[dict]) -> None:
    """Confidences of this model are all different, so cutting the sorted list is the whole truth."""
    surest = sorted(rows, key=lambda row: -row["confidence"])
    assert len({row["confidence"] for row in rows if row["confidence"] > 0.36}) > 100
    recall, precision = precision_at_recall.precision_at_recall(model)
    for share, found in zip(recall, precision, strict=True):
        given = max(1, round(share * len(surest)))
        cut = surest[given - 1]["confidence"]
        if given < len(surest) and surest[given]["confidence"] == cut:
            continue  # a cut through equals is tested on its own
        assert found == pytest.approx(_accuracy(surest[:given]))
    assert precision[-1] == pytest.approx(_accuracy(rows))


def test_a_cut_through_equals_is_the_mean_over_orders() -> None:
    """Two certain answers (one right), then four tied ones (one right): by trying every order."""
    from itertools import permutations

    right = np.array([True, False, True, False, False, False])
    sure = np.array([0.9, 0.8, 0.3, 0.3, 0.3, 0.3])
    fake = type("M", (), {"confidence": sure, "correct": right})()
    _, found = precision_at_recall.precision_at_recall(fake, points=6)
    for given in range(1, 7):
        tries = [
            [*right[:2], *(right[2:][list(order)])][:given] for order in permutations(range(4))
        ]
        assert found[given - 1] == pytest.approx(np.mean([np.mean(t) for t in tries]))


def test_deciles_of_length(model: Answers, rows: list[dict]) -> None:
    lengths = sorted({row["document_ids"]: row["document_tokens"] for row in rows}.values())
    *parts, longest = precision_by_length.curve(model)
    assert longest.label == precision_by_length.LONGEST
    tail = [row for row in rows if row["document_tokens"] >= np.quantile(lengths, 0.95)]
    assert longest.share == pytest.approx(_accuracy(tail))
    assert sum(part.questions for part in parts) == len(rows)
    assert sum(part.documents for part in parts) == len(lengths)
    for part in parts:
        low, high = (int(end) for end in (part.label.split("–") * 2)[:2])
        inside = [row for row in rows if low <= row["document_tokens"] <= high]
        assert part.share == pytest.approx(_accuracy(inside))
        assert part.questions == len(inside)
        # A tenth of the documents, but for equal lengths at the ends.
        assert abs(part.documents - len(lengths) / 10) <= 6


def test_cumulative_precision(model: Answers, rows: list[dict]) -> None:
    found = precision_up_to_length.curve(model)
    for point in found:
        inside = [row for row in rows if row["document_tokens"] <= point.x]
        assert point.share == pytest.approx(_accuracy(inside))
    assert found[-1].questions == len(rows)
    assert set(precision_up_to_length.marks(model)) <= {point.x for point in found}


def test_by_entities_and_by_rank(model: Answers, rows: list[dict]) -> None:
    for point in accuracy_by_entities.curve(model):
        low, high = (int(end) for end in (point.label.split("–") * 2)[:2])
        inside = [row for row in rows if low <= row["entities"] <= high]
        assert point.share == pytest.approx(_accuracy(inside))
    ranks = accuracy_by_frequency.curve(model)
    assert sum(point.questions for point in ranks) == len(rows)
    first = [row for row in rows if row["frequency_rank"] == 1]
    assert ranks[0].share == pytest.approx(_accuracy(first))
    assert ranks[0].label == "1"


def test_every_file_is_a_figure_and_the_page_has_them_in_order() -> None:
    folder = Path(figures.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {plot.slug.replace("-", "_") for plot in plots()} == files
    assert [plot.place for plot in plots()] == list(range(1, len(files) + 1))


def test_reliability(model: Answers, rows: list[dict]) -> None:
    found = reliability.curve(model)
    assert sum(point.questions for point in found) == len(rows)
    for point in found:
        low, high = map(float, point.label.split("–"))
        inside = [r for r in rows if round(low * 15) == min(14, int(r["confidence"] * 15))]
        assert point.questions == len(inside)
        assert point.share == pytest.approx(_accuracy(inside))
        assert low - 0.01 <= point.x <= high + 0.01
    gap = sum(abs(p.x - p.share) * p.questions for p in found) / len(rows)
    assert gap == pytest.approx(error_of(model))


def test_risk_is_what_precision_leaves(model: Answers) -> None:
    risk, precision = risk_at_coverage.curve(model), precision_at_recall.curve(model)
    assert [p.x for p in risk] == [p.x for p in precision]
    assert [p.share for p in risk] == pytest.approx([1 - p.share for p in precision])


def test_without_probabilities_there_is_neither(model: Answers, tmp_path: Path) -> None:
    counting = replace(model, confidence_is="margin")
    alone = Comparison("press", "valid", [counting], 0)
    both = Comparison("press", "valid", [counting, replace(model, name="other")], 0)
    for figure in (reliability, risk_at_coverage):
        assert figure.curve(counting) == []
        assert save(figure.PLOT, alone, tmp_path / "alone") is None
        drawn = save(figure.PLOT, both, tmp_path / "both")
        assert drawn is not None
        assert "other" in drawn.csv
        assert "\nM," not in drawn.csv


def test_how_a_model_learnt(model: Answers, tmp_path: Path) -> None:
    assert training.curve(model) == []  # nobody trained it
    told = replace(model.about, settings={"training": {"validations": [[640, 0.3], [1280, 0.55]]}})
    source = copy(model.source)
    source.about = told
    learnt = replace(model, source=source)
    assert [(p.x, p.share) for p in training.curve(learnt)] == [(640, 0.3), (1280, 0.55)]
    drawn = save(training.PLOT, Comparison("press", "valid", [learnt, model], 0), tmp_path)
    assert drawn is not None
    assert (tmp_path / "training.csv").read_text().count("\n") == 3


def test_axes_fit_the_data(model: Answers) -> None:
    comparison = Comparison("press", "valid", [model], 0)
    for plot in plots():
        curve = plot.curve(model)
        if not curve:
            continue
        shares = [point.share for point in curve]
        low, high = draw(plot, comparison, [curve]).axes[0].get_ylim()
        assert low <= min(shares)
        assert high >= max(shares)
        if plot.slug != "reliability":  # whose diagonal needs all of it
            assert high - low <= max(shares) - min(shares) + 0.25, plot.slug
