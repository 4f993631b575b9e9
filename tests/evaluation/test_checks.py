"""The page's checks on the evaluation, and which heat maps it shows."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking
from cloze.baselines.controls import QuestionOnly
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.metrics import compare
from cloze.evaluation.runs import Options, baseline_task, run, tasks_of_baselines
from cloze.report.reading import read_texts
from cloze.report.sections_about import checks
from cloze.report.selection import choose, with_attention
from tests.evaluation.conftest import answers_of, write_model

Make = Callable[..., tuple[Corpus, list[Point]]]


def test_the_question_alone_is_worth_a_guess(make_press: Make, tmp_path: Path) -> None:
    """Stored markers follow the order of mention; the evaluation permutes that away."""
    corpus, points = make_press(200, longest=12)
    task = baseline_task("question-only", QuestionOnly())
    path = run(task, corpus, "valid", tmp_path, Options(permutations=3))
    (comparison,) = compare([path])
    texts = read_texts(comparison, corpus, 100)
    expected = [
        1 / len(set(d.candidates()) - {int(q.query.tokens[-1].removeprefix("@entity"))})
        for d, asked in points
        for q in asked
    ]
    assert texts.chance == pytest.approx(np.mean(expected))
    assert comparison.models[0].accuracy == pytest.approx(texts.chance, abs=0.06)
    html = checks(comparison, texts.chance)
    assert f"Question only: {100 * comparison.models[0].accuracy:.1f} %" in html
    assert "<td>3</td>" in html  # namings


def test_baselines_are_found_by_name(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(6)
    (task,) = tasks_of_baselines(["Exclusive_Frequency"])
    (comparison,) = compare([run(task, corpus, "valid", tmp_path)])
    assert comparison.models[0].name == "Exclusive frequency"
    with pytest.raises(UserError, match="there is no baseline 'guess'; choose from maximum-freq"):
        tasks_of_baselines(["guess"])


def test_uniform_attention_is_no_heat_map(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(5)
    flat = [
        (d, q, Ranking(r.candidates, r.scores, np.full(len(d.context), 1 / len(d.context))))
        for d, q, r in answers_of(points, 0.5)
    ]
    uniform = write_model(tmp_path, corpus, flat, "Uniform Reader")
    looking = write_model(tmp_path, corpus, answers_of(points, 0.5, 1, steps=1), "Attentive Reader")
    assert with_attention(uniform) == set()
    assert with_attention(looking) == {q.id for _, asked in points for q in asked}


def test_right_and_wrong_of_different_articles(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(30, longest=10)
    paths = [
        write_model(tmp_path, corpus, answers_of(points, 0.5, k, steps=k), name)
        for k, name in ((1, "Attentive Reader"), (3, "Impatient Reader"))
    ]
    (comparison,) = compare(paths)
    texts = read_texts(comparison, corpus, 1000)
    maps, gallery = choose(comparison, texts, most=20)
    assert len(maps) == len(set(maps)) == 20
    right = [
        dict(zip(m.question_ids.tolist(), m.correct.tolist(), strict=True))
        for m in comparison.models
    ]
    for left, other in gallery:
        assert right[maps[left][0]][maps[left][1]]
        assert not right[maps[other][0]][maps[other][1]]
    for model in (0, 1):
        for side in (0, 1):
            shown = [maps[pair[side]] for pair in gallery if maps[pair[side]][0] == model]
            articles = [texts.questions[question].document_id for _, question in shown]
            assert len(set(articles)) == len(articles) == 2
