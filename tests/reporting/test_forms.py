"""The forms of a language model side by side, against figures worked out by hand."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Cost, Ranking
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.evaluation.metrics import Comparison, compare
from cloze.evaluation.predictions import About, write
from cloze.language_models.forms import Form
from cloze.reporting.accuracy import as_dicts
from cloze.reporting.forms import accuracy_by_form, blind_chance, differences, forms_of, leak_text
from cloze.reporting.outcomes import outcome_table, outcomes

RIGHT = {  # of every four questions
    Form.MARKERS: 2,
    Form.NAMES: 4,
    Form.SWAPPED: 3,
    Form.MARKERS_ALONE: 0,
    Form.NAMES_ALONE: 1,
}


def ranking(right: bool, answer: int, number: int) -> Ranking:
    """Wrong answers are, in turn, another candidate, and none for each of three reasons."""
    why = (
        "by marker" if right else ["by marker", "empty", "refused", "failed: time-out"][number % 4]
    )
    chosen = [answer] if right else [answer + 1] if why == "by marker" else []
    cost = None if "failed" in why else Cost(0.5, 100, 3)
    marks = np.array(chosen, np.int32)
    return Ranking(marks, np.full(len(chosen), 2, np.float32), None, not chosen, why, cost=cost)


@pytest.fixture
def comparison(make_press: Callable[..., tuple[Corpus, list[Point]]], tmp_path: Path) -> Comparison:
    corpus, points = make_press(40)
    paths = []
    for form, right in RIGHT.items():
        name = "little" + (f", {form.wording}" if form.wording else "")
        settings = {"form": str(form), "model": "little", "endpoint": "here"}
        about = About(name, corpus.name, corpus.fingerprint, "valid", settings, "language model")
        paths.append(tmp_path / f"{form}.parquet")
        asked = [(d, q) for d, questions in points for q in questions]
        said = ((d, q, ranking(k % 4 < right, q.answer, k // 4)) for k, (d, q) in enumerate(asked))
        write(paths[-1], about, said)
    (found,) = compare(paths)
    return found


def test_each_difference_is_that_of_two_forms(comparison: Comparison) -> None:
    (found,) = forms_of(comparison, 0.2)
    share = {m.about.settings["form"]: m.accuracy for m in comparison.models}
    assert found.apart["reading"].share == pytest.approx(share["markers"] - share["markers-alone"])
    assert found.apart["knowledge"].share == pytest.approx(share["names"] - share["swapped"])
    assert found.apart["guessing"].share == pytest.approx(share["names-alone"] - 0.2)
    assert found.apart["cost of markers"].share == pytest.approx(
        share["swapped"] - share["markers"]
    )
    for apart in found.apart.values():
        assert apart.low < apart.share < apart.high
    assert [row[0] for row in accuracy_by_form([found]).rows] == ["little"]
    assert len(differences([found]).rows[0]) == 5


def test_markers_without_the_article_must_be_at_chance(comparison: Comparison) -> None:
    (low,) = forms_of(comparison, 0.2)
    assert not low.leak
    assert "is below chance" in leak_text(low)
    (fine,) = forms_of(comparison, 0.01)
    assert "is at chance" in leak_text(fine)
    swapped = next(m for m in comparison.models if m.about.settings["form"] == "swapped")
    swapped.about.settings["form"] = "markers-alone"
    for model in comparison.models:
        if model.name.endswith("markers without the article"):
            model.about.settings["form"] = "swapped"
    (odd,) = forms_of(comparison, 0.2)
    assert odd.leak
    assert "better than chance" in leak_text(odd)


def test_reasons_add_up_to_all_questions(comparison: Comparison) -> None:
    for model in comparison.models:
        counts = outcomes(model)
        assert sum(counts.values()) == len(model)
        assert counts["right"] == int(model.correct.sum())
        if model.about.settings["form"] == "markers-alone":
            assert min(counts[why] for why in ("wrong", "empty", "refused", "failed")) > 0
    assert len(outcome_table(comparison.models).rows) == 5


def test_blind_chance_leaves_out_what_the_question_names(
    comparison: Comparison, make_press: Callable[..., tuple[Corpus, list[Point]]]
) -> None:
    corpus, points = make_press(40)
    shares = []
    for document, questions in points:
        for question in questions:
            left = set(document.context.mentions()) - set(question.query.mentions())
            shares.append(1 / len(left) if question.answer in left else 0)
    assert blind_chance(comparison, corpus) == pytest.approx(np.mean(shares))


def test_json_says_what_came_of_the_replies(comparison: Comparison) -> None:
    for each in as_dicts([comparison]):
        assert sum(each["outcomes"].values()) == each["questions"]
        assert each["tokens read"] == 100 * (each["questions"] - each["outcomes"]["failed"])
        assert each["median seconds"] == 0.5
