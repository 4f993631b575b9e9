"""With permuted markers the question-only guess is at chance; with revealing ones it is not."""

from cloze.baselines.controls import QuestionOnly, chance
from cloze.document import Document, Entity, Question
from cloze.randomness import generator
from cloze.text import Text

ENTITIES, QUESTIONS = 12, 4_000


def text(tokens: list[str]) -> Text:
    return Text(tokens, tokens, [1] * len(tokens))


def point(number: int, *, permuted: bool) -> tuple[Document, Question]:
    """A document of twelve entities; the answer is mostly among the first, as in the news."""
    random = generator(7, number)
    answer = min(int(random.geometric(0.3)) - 1, ENTITIES - 2)
    named = ENTITIES - 1
    marks = random.permutation(ENTITIES) if permuted else list(range(ENTITIES))
    document = Document(
        str(number),
        text([f"@entity{mark}" for mark in marks]),
        tuple(Entity(int(mark), "") for mark in marks),
    )
    query = text(["@placeholder", "met", f"@entity{marks[named]}"])
    return document, Question(str(number), str(number), query, int(marks[answer]))


def accuracy(*, permuted: bool) -> tuple[float, float]:
    points = [point(k, permuted=permuted) for k in range(QUESTIONS)]
    right = sum(QuestionOnly().rank(d, [q])[0].answer == q.answer for d, q in points)
    return right / QUESTIONS, sum(chance(d, q) for d, q in points) / QUESTIONS


def test_permuted_markers_hold_the_guess_at_chance():
    found, expected = accuracy(permuted=True)
    # four standard deviations of 4,000 draws at 1 in 11
    assert abs(found - expected) < 4 * (expected * (1 - expected) / QUESTIONS) ** 0.5


def test_markers_in_the_order_of_mention_give_the_answer_away():
    found, expected = accuracy(permuted=False)
    assert found > 2 * expected
