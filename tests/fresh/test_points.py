"""The fresh texts as documents with questions: what `experiments/fresh.py` lets readers answer."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cloze.answering import Ranking, ranked
from cloze.builder.marked_texts import MarkedQuestion, MarkedText, read_marks, read_texts
from cloze.document import Point
from tests.first_name import FirstName
from tests.scripts import EXPERIMENTS, module_of

ARTICLE = read_marks(
    "Cllr [Ann Brook]{brook} left [London]{london} on Monday. [Brook]{brook} met [John Oke]{oke}."
)
TYPES = {"brook": "PERSON", "london": "GPE", "oke": "PERSON"}
PLAIN = [MarkedQuestion(read_marks("X's road led out of [London]{london}"), "brook")]
PARAPHRASED = [MarkedQuestion(read_marks("[Brook]{brook} and X shook hands"), "oke")]
TEXT = MarkedText("minutes", "minutes", "look", TYPES, ARTICLE, PLAIN, PARAPHRASED)


@pytest.fixture(scope="module")
def fresh() -> Any:
    return module_of(EXPERIMENTS / "fresh.py")


def test_marked_names(fresh: Any) -> None:
    document, questions = fresh.marked(TEXT)
    assert document.context.anonymised == (
        "cllr @entity0 left @entity1 on monday . @entity0 met @entity2 ."
    )
    assert [question.query.anonymised for question in questions] == [
        "@placeholder 's road led out of @entity1",
        "@entity0 and @placeholder shook hands",
    ]
    assert [question.answer for question in questions] == [0, 2]


def test_the_builders_names(fresh: Any) -> None:
    pytest.importorskip("spacy")
    document, questions = fresh.built(TEXT)
    assert [document.name_of(question.answer) for question in questions] == [
        "Ann Brook",
        "John Oke",
    ]
    assert [question.query.tokens.count("@placeholder") for question in questions] == [1, 1]


def test_no_mark_is_lost(fresh: Any) -> None:
    for text in read_texts(Path(__file__).parent / "texts"):
        document, questions = fresh.marked(text)
        asked = [*text.plain, *text.paraphrased]
        assert len(document.candidates()) == len({mark.key for mark in text.article.marks})
        for question, own in zip(questions, asked, strict=True):
            assert question.query.gap >= 0
            assert (question.query.markers >= 0).sum() == len(own.ask.marks)


class Silent(FirstName):
    """It has no candidate to offer, so its answer is not a marker."""

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        for _, questions in points:
            yield [ranked([], []) for _ in questions]


def test_accuracies(fresh: Any) -> None:
    document, (plain, paraphrased) = fresh.marked(TEXT)
    given = fresh.answered(FirstName(), [(document, [plain, paraphrased])])
    cells = [fresh.accuracy(one) for one in given.values()]
    assert [cell.split()[0] for cell in cells] == ["100.0", "0.0"]
    assert fresh.confidence(given["plain"]) == []  # its scores are no probabilities


def test_what_no_marker_stands_for_is_never_right(fresh: Any) -> None:
    document, questions = fresh.marked(TEXT)
    lost = [replace(question, answer=fresh.NOBODY) for question in questions]
    cells = [fresh.accuracy(one) for one in fresh.answered(Silent(), [(document, lost)]).values()]
    assert [cell.split()[0] for cell in cells] == ["0.0", "0.0"]


class Sure(FirstName):
    """As the first name, with a probability of 0.95."""

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        for document, questions in points:
            first, *rest = document.candidates()
            shares = [0.95, *(0.05 / len(rest) for _ in rest)]
            yield [ranked([first, *rest], shares) for _ in questions]


def test_confidence_beside_accuracy(fresh: Any) -> None:
    given = fresh.answered(Sure(), [fresh.marked(TEXT)])
    assert fresh.confidence(given["plain"]) == ["100.0", "95.0", "0.050", "1", "0"]
    assert fresh.confidence(given["paraphrased"]) == ["0.0", "95.0", "0.950", "1", "1"]


class Fickle(FirstName):
    """Its answer depends on the draw of the markers: the first name, then the second."""

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        for document, questions in points:
            names = document.candidates()
            yield [ranked(names[seed:] + names[:seed], [2.0] + [1.0] * (len(names) - 1))] * len(
                questions
            )


def test_every_draw_of_the_markers_counts(fresh: Any) -> None:
    points = [fresh.marked(TEXT)]
    assert fresh.answered(Fickle(), points)["plain"].correct.tolist() == [True]
    given = fresh.answered(Fickle(), points, 3)
    assert given["plain"].correct.tolist() == [True, False, False]
    assert given["paraphrased"].correct.tolist() == [False, False, True]
    assert given["plain"].documents.tolist() == [0, 0, 0]
