"""How texts, documents and answers show themselves in a notebook."""

import numpy as np
import pytest

from cloze.answering import Ranking
from cloze.ask.asking import Answer
from cloze.errors import UserError
from cloze.reporting import notebook
from cloze.text import Text
from tests.conftest import document_of, question_of

DOCUMENT = document_of("<b> @entity3 train met @entity1 & left")
QUESTION = question_of("@placeholder met @entity1", 3, DOCUMENT)


def answer(attention: list[float] | list[list[float]] | None) -> Answer:
    looked = None if attention is None else np.array(attention, np.float32)
    ranking = Ranking(np.array([3, 1]), np.array([0.75, 0.25], np.float32), looked)
    return Answer(DOCUMENT, QUESTION, ranking)


def test_a_document_is_escaped_and_names_its_markers() -> None:
    html = DOCUMENT._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b> " not in html
    assert f'<b title="@entity3">{DOCUMENT.name_of(3)}</b>' in html
    assert f"@entity1 {DOCUMENT.name_of(1)}" in html


def test_a_gap_is_never_filled_in() -> None:
    assert QUESTION.query.as_html().startswith("____ met <b")


def test_paragraphs_are_apart() -> None:
    assert Text(["a", "b"], ["A", "B"], [2, 0]).as_html() == "A<br><br>B"


def test_an_answer_has_bars_and_shades() -> None:
    html = answer([0, 0.9, 0, 0, 0.1, 0, 0])._repr_html_()
    assert html.index(f"{DOCUMENT.name_of(3)}</td>") < html.index(f"{DOCUMENT.name_of(1)}</td>")
    assert "75.0%" in html
    assert "width: 33%" in html  # a third of the best one's
    dark, light = (float(part.split(")")[0]) for part in html.split("rgb(240 140 40 / ")[1:])
    assert dark == pytest.approx(0.9 * 0.9**0.5, abs=0.01)
    assert light == pytest.approx(0.9 * 0.1**0.5, abs=0.01)
    assert "steps" not in html


def test_of_a_film_the_last_step_is_shown() -> None:
    html = answer([[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]])._repr_html_()
    assert html.count("rgb(240 140 40 /") == 1
    assert '0.90)">met</span>' in html
    assert "The last of 2 steps" in html


def test_without_attention_the_article_is_plain() -> None:
    assert "rgb(240 140 40" not in answer(None)._repr_html_()


def test_without_the_extra_a_widget_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook._widget.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    with pytest.raises(UserError, match=r"anywidget is not installed; run: .*\[notebook\]"):
        answer(None).heatmap()


def test_the_right_name_must_be_one_of_the_article() -> None:
    with pytest.raises(UserError, match="the article does not name 'Nobody'"):
        answer(None).heatmap("Nobody")
