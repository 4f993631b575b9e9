"""Questions put to the wrong article: whose they are, what becomes of their names, what is told."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cloze.answering import Ranking
from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.document import Document, Entity, Point, Question
from cloze.errors import UserError
from cloze.evaluation.wrong_article import how_sure, put_wrongly
from cloze.readers.reader import Reader
from cloze.text import Text
from tests.evaluation.conftest import press
from tests.readers.points import VOCABULARY
from tests.readers.test_reader import reader_of

Make = Callable[..., tuple[Corpus, list[Point]]]


def text(*words: str) -> Text:
    return Text(list(words), list(words), [1] * len(words))


def point(name: str, names: list[str], query: list[str], answer: int) -> Point:
    entities = tuple(Entity(k, n, "PERSON", (n,)) for k, n in enumerate(names))
    context = text(*(f"@entity{k}" for k in range(len(names))), "met")
    return Document(name, context, entities), [Question(f"{name}-q", name, text(*query), answer)]


def test_names_that_both_articles_have_stay_and_others_are_new() -> None:
    query = ["@placeholder", "left", "@entity1", "with", "@entity0"]
    one = point("one", ["Mara Venn", "Ostrava"], query, 1)
    two = point(
        "two", ["Tobias Lund", "OSTRAVA", "Kim Roe"], ["@entity1", "saw", "@placeholder"], 2
    )
    (first, (to_one,)), (second, (to_two,)) = put_wrongly([one, two])
    assert (first.id, to_one.id, to_one.document_id) == ("one", "two-q", "one")
    assert to_one.query.tokens == ["@entity1", "saw", "@placeholder"]  # Ostrava, there too
    assert to_one.answer == -1  # Kim Roe, whom the first article does not name
    assert first.entities == one[0].entities
    assert first.context == one[0].context
    assert (second.id, to_two.id) == ("two", "one-q")
    assert to_two.query.tokens == ["@placeholder", "left", "@entity1", "with", "@entity3"]
    assert second.name_of(3) == "Mara Venn"  # whom the second article does not name
    assert to_two.answer == 1


def test_every_question_is_put_once_and_never_to_its_own() -> None:
    points = press(9, longest=4)
    points.insert(3, (points[0][0], []))
    moved = list(put_wrongly(points))
    asked = [question.id for _, questions in moved for question in questions]
    assert sorted(asked) == sorted(q.id for _, questions in points for q in questions)
    for document, questions in moved:
        known = {entity.marker for entity in document.entities}
        for question in questions:
            assert not question.id.startswith(f"{document.id}-")
            assert set(question.query.mentions()) <= known
    with pytest.raises(UserError, match="not two documents"):
        list(put_wrongly(points[:1]))


class Told:
    """Sure of every other answer."""

    name, kind, settings = "Told", "reader", {}

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        turn = 0
        for _, questions in points:
            rankings = []
            for _ in questions:
                turn += 1
                best = 0.95 if turn % 4 == 0 else 0.6 if turn % 4 == 2 else 0.5
                shares = np.array([best, 1 - best], np.float32)
                rankings.append(Ranking(np.array([0, 1], np.int32), shares))
            yield rankings


def test_the_shares() -> None:
    points = press(20, longest=4)
    total = sum(len(questions) for _, questions in points)
    found = how_sure(Told(), points)
    assert found.questions == total
    assert found.above[0.5].share == (total // 2) / total
    assert found.above[0.9].share == (total // 4) / total


def test_the_command(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(6, longest=4)
    reader_of(output="candidates").save_pretrained(tmp_path / "model")
    words = ["evaluate", str(tmp_path / "model"), str(corpus.path), "--wrong-article"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "p")])
    assert done.exit_code == 0, done.output
    assert "Attentive Reader" in done.output
    assert not (tmp_path / "p").exists()
    (row,) = json.loads(CliRunner().invoke(app, [*words, "--json", "--limit", "5"]).output)
    reader = Reader.from_pretrained(tmp_path / "model")
    assert row["questions"] == 5
    assert 0 <= row["above_90"] <= row["above_50"] <= 1
    assert reader.vocabulary.sha256 == VOCABULARY.sha256
