"""Which heat maps the page shows."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from cloze.answering import Ranking
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.evaluation.metrics import compare
from cloze.evaluation.predictions import Predictions
from cloze.reporting.heatmap_choice import choose
from cloze.reporting.texts import read_texts
from tests.evaluation.conftest import answers_of, write_model

Make = Callable[..., tuple[Corpus, list[Point]]]


def test_uniform_attention_is_no_heat_map(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(5)
    flat = [
        (d, q, Ranking(r.candidates, r.scores, np.full(len(d.context), 1 / len(d.context))))
        for d, q, r in answers_of(points, 0.5)
    ]
    uniform = write_model(tmp_path, corpus, flat, "Uniform Reader")
    looking = write_model(tmp_path, corpus, answers_of(points, 0.5, 1, steps=1), "Attentive Reader")
    assert Predictions(uniform).attended == set()
    assert Predictions(looking).attended == {q.id for _, asked in points for q in asked}


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
