"""Every baseline gets the same odd questions, and answers all of them the same way twice."""

import numpy as np
import pytest

from cloze.answering import Ranking
from cloze.baselines import BASELINES
from cloze.baselines.baseline import Baseline
from cloze.document import Document, Question
from cloze.text import Text
from tests.conftest import document_of, question_of

LONG = " ".join(f"@entity{k % 20} spoke to the press on day {k} ." for k in range(250))
MANY = " ".join(f"@entity{k} won ." for k in range(500))

CASES: dict[str, tuple[str, str, int]] = {  # context, question, candidates expected
    "no candidate": ("nobody won the prize .", "@placeholder won the prize", 0),
    "no context": ("", "@placeholder won the prize", 0),
    "one candidate": ("@entity3 won the prize .", "@placeholder won", 1),
    "empty question": ("@entity3 met @entity1 .", "", 2),
    "no placeholder": ("@entity3 met @entity1 .", "somebody met @entity1", 2),
    "placeholder only": ("@entity3 met @entity1 .", "@placeholder", 2),
    "two thousand tokens": (LONG, "@placeholder spoke to the press on day 7", 20),
    "five hundred entities": (MANY, "@placeholder won , not @entity7", 500),
    "a stranger in the question": ("@entity3 met @entity1 .", "@placeholder met @entity9", 2),
    "every entity in the question": (
        "@entity1 met @entity2 .",
        "@entity2 @entity1 @placeholder",
        2,
    ),
    "nothing but punctuation": ("@entity1 , @entity2 .", "@placeholder , ! --", 2),
}


def texts(case: str) -> tuple[Document, Question]:
    context, query, _ = CASES[case]
    document = document_of(context)
    question = question_of(query, 1, document)
    if not context:
        document = Document("d0", Text([], [], []), ())
    if not query:
        question = Question("q", "d0", Text([], [], []), 1)
    return document, question


@pytest.fixture(scope="module")
def baselines() -> dict[str, Baseline]:
    return {name: make() for name, make in BASELINES.items()}


def same(a: Ranking, b: Ranking) -> bool:
    alike = np.array_equal(a.candidates, b.candidates) and np.array_equal(a.scores, b.scores)
    return alike and a.why == b.why


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", BASELINES)
def test_an_odd_question_gets_a_whole_ranking(name: str, case: str, baselines: dict[str, Baseline]):
    document, question = texts(case)
    ranking, again = baselines[name].rank(document, [question, question])
    assert sorted(ranking.candidates.tolist()) == sorted(document.candidates())
    assert len(ranking.candidates) == CASES[case][2]
    assert (ranking.candidates.dtype, ranking.scores.dtype) == (np.int32, np.float32)
    assert np.isfinite(ranking.scores).all()
    assert (np.diff(ranking.scores) <= 0).all()
    assert (ranking.answer == -1) == (CASES[case][2] == 0)
    assert same(ranking, again)


@pytest.mark.parametrize("name", BASELINES)
def test_a_fresh_baseline_says_the_same(name: str, baselines: dict[str, Baseline]):
    document, question = texts("two thousand tokens")
    ranking = BASELINES[name]().rank(document, [question])[0]
    assert same(ranking, baselines[name].rank(document, [question])[0])


@pytest.mark.parametrize("name", BASELINES)
def test_no_question_no_answer(name: str, baselines: dict[str, Baseline]):
    assert baselines[name].rank(texts("one candidate")[0], []) == []


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "question-only"])
def test_renamed_markers_change_nothing_but_the_names(name: str, baselines: dict[str, Baseline]):
    def renamed(tokens: str) -> str:
        return tokens.replace("@entity", "@entity10")  # @entity1 becomes @entity101

    context, query = "@entity2 met @entity1 ; @entity3 won .", "@entity1 met @placeholder"
    document = document_of(context)
    other = Document(document.id, text_with(document, renamed(context)), ())
    question = question_of(query, 2, document)
    twin = Question(
        question.id, "d0", Text(renamed(query).split(" "), question.query.surfaces, [1] * 3), 102
    )
    first = baselines[name].rank(document, [question])[0]
    second = baselines[name].rank(other, [twin])[0]
    assert [100 + m for m in first.candidates.tolist()] == second.candidates.tolist()


def text_with(document: Document, tokens: str) -> Text:
    return Text(tokens.split(" "), document.context.surfaces, document.context.spacing)
