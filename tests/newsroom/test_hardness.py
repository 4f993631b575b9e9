from collections import Counter, defaultdict

import pytest

from cloze.newsroom import Gold, Mention, stories
from cloze.newsroom.corpus import to_point
from cloze.newsroom.hardness import measure, words_of
from cloze.randomness import generator
from cloze.story import Story


def test_neither_trivial_nor_hopeless() -> None:
    figures = measure(to_point(*told)[0] for told in stories(seed=11, count=500))
    assert figures["questions"] > 3000
    assert 0.20 < figures["maximum frequency"] < 0.40
    assert figures["maximum frequency"] < figures["exclusive frequency"] < 0.45
    assert figures["exclusive frequency"] < figures["word overlap"] < 0.50
    assert figures["chance"] < 0.12


def test_the_question_alone_tells_nothing() -> None:
    """The best guess from a question's words, learned on other stories, is as good as chance."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)  # by word, for markers
    right = chance = asked = 0.0
    for index, (story, gold) in enumerate(stories(seed=12, count=1000)):
        (document, questions), _ = to_point(story, gold)
        candidates = document.candidates()
        shuffled = generator(12, index).permutation(len(candidates)).tolist()
        markers = dict(zip(candidates, shuffled, strict=True))
        for question in questions:
            answer = markers[question.answer]
            if index < 700:
                for word in words_of(question.query):
                    votes[word][answer] += 1
                continue
            total: Counter[int] = sum((votes[w] for w in words_of(question.query)), Counter())
            present = {markers[m] for m in question.query.mentions() if m in markers}
            free = [marker for marker in range(len(candidates)) if marker not in present]
            asked += 1
            right += max(free, key=lambda marker: total[marker]) == answer
            chance += 1 / len(free)
    assert right / asked == pytest.approx(chance / asked, abs=0.03)


def test_the_figures_of_one_story_by_hand() -> None:
    # Ada Low twice, Bo Ray once, Kars once; the highlights name Ada Low with Bo Ray, and Kars
    article = "Ada Low met Bo Ray. Low went to Kars."
    story = Story("1", article, ("Bo Ray is met by Ada Low", "Trip to Kars"))
    gold = Gold(
        "1",
        (
            Mention(0, 7, "PERSON", 0),
            Mention(12, 18, "PERSON", 1),
            Mention(20, 23, "PERSON", 0),
            Mention(32, 36, "GPE", 2),
        ),
        (
            (Mention(0, 6, "PERSON", 1), Mention(17, 24, "PERSON", 0)),
            (Mention(8, 12, "GPE", 2),),
        ),
        ("Ada Low", "Bo Ray", "Kars"),
    )
    point, _ = to_point(story, gold)
    assert [(question.answer, set(question.query.mentions())) for question in point[1]] == [
        (1, {0}),
        (0, {1}),
        (2, set()),
    ]
    figures = measure([point])
    assert figures["questions"] == 3
    assert figures["chance"] == pytest.approx(1 / 3)
    assert figures["maximum frequency"] == pytest.approx(1 / 3)  # Ada Low
    # without those in the question: Bo Ray or Kars; Ada Low; Ada Low
    assert figures["exclusive frequency"] == pytest.approx((1 / 2 + 1) / 3)
    # "is met by" shares "met" with the first sentence, "trip to" shares "to" with the second
    assert figures["word overlap"] == pytest.approx((1 + 1 + 1 / 2) / 3)
