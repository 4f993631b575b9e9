"""The page's checks on the evaluation."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cloze.baselines.controls import QuestionOnly
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.evaluation.metrics import compare
from cloze.evaluation.run import Options, run
from cloze.reporting.checks import check
from cloze.reporting.texts import read_texts

Make = Callable[..., tuple[Corpus, list[Point]]]


def test_the_question_alone_is_worth_a_guess(make_press: Make, tmp_path: Path) -> None:
    """Stored markers follow the order of mention; the evaluation permutes that away."""
    corpus, points = make_press(200, longest=12)
    path = run(QuestionOnly(), corpus, "valid", tmp_path, Options(permutations=3))
    (comparison,) = compare([path])
    texts = read_texts(comparison, corpus, 100)
    expected = [
        1 / len(set(d.candidates()) - {int(q.query.tokens[-1].removeprefix("@entity"))})
        for d, asked in points
        for q in asked
    ]
    assert texts.chance == pytest.approx(np.mean(expected))
    assert comparison.models[0].accuracy == pytest.approx(texts.chance, abs=0.06)
    found = check(comparison, texts.chance)
    assert [(name, i.share) for name, i in found.blind] == [
        ("Question only", comparison.models[0].accuracy)
    ]
    assert [row[:2] for row in found.namings.rows] == [["Question only", "3"]]
