"""The answer to a question does not depend on when, or how, it is asked."""

import io
import re
import sys
from collections.abc import Sequence

import pytest

from cloze.answering import answers
from cloze.ask.article import Asked, Prepared, prepare_asked
from cloze.ask.terminal import Conversation
from cloze.document import Question
from cloze.readers.reader import Reader

from .conftest import ARTICLE, QUESTION, capitals, random_reader


@pytest.fixture(scope="module")
def reader() -> Reader:
    return random_reader("attentive", 1)


def prepared(
    question: str | None, highlights: Sequence[str] = (), article: str = ARTICLE
) -> Prepared:
    asked = Asked.of(article, highlights, question)
    return prepare_asked(asked, capitals(asked.to_tag))


def offered(highlights: Sequence[str] = ()) -> list[Question]:
    return [q for sentence in prepared(None, highlights).sentences for q in sentence.questions]


@pytest.mark.parametrize("highlights", [(), ("Mara Venn left Ostrava", "Tobias Lund met Venn")])
def test_an_offered_question_is_answered_alike_when_it_is_asked(
    reader: Reader,
    highlights: Sequence[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one conversation: the table of proposals, then each of them asked by its number."""
    conversation = Conversation(reader, capitals, ARTICLE, highlights)
    count = len(offered(highlights))
    numbers = "".join(f"{number}\n" for number in range(1, count + 1))
    monkeypatch.setattr(sys, "stdin", io.StringIO(numbers * 2))
    conversation.converse()
    proposals, *asked = re.split(r"Question  .*", capsys.readouterr().out)
    first = re.findall(r"\d+\.\d %", proposals)
    then = [re.findall(r"\d+\.\d %", part)[0] for part in asked]
    assert len(first) == count >= 4
    assert then == first * 2


def test_the_mark_of_the_gap_changes_nothing(reader: Reader) -> None:
    ways = [QUESTION, QUESTION.replace("X", "___"), QUESTION.replace("X", "@placeholder")]
    points = []
    for way in ways:
        found = prepared(way)
        assert found.question is not None
        points.append((found.document, [found.question]))
    scores = [ranking.scores.tolist() for _, _, (ranking,) in answers(reader, points)]
    for other in scores[1:]:
        assert other == pytest.approx(scores[0], abs=1e-6)


def test_the_naming_is_that_of_the_text() -> None:
    """Another question, or another article, is read under another naming."""
    found = [
        prepared(QUESTION),
        prepared(QUESTION),
        prepared(QUESTION.replace("sue", "meet")),
        prepared(QUESTION, article=f"{ARTICLE} He lives there."),
    ]
    one, again, other, elsewhere = (each.question.id for each in found if each.question)
    assert one == again
    assert len({one, other, elsewhere}) == 3
