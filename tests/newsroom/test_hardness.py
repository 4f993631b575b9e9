"""How hard the newsroom's questions are for those who do not read."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from cloze.document import Document, Question
from cloze.newsroom import stories
from cloze.newsroom.corpus import to_point
from cloze.randomness import generator


def share(scores: dict[int, int], answer: int) -> float:
    """1 if only the answer has the best score; in a tie, its share of the tied."""
    best = [marker for marker, score in scores.items() if score == max(scores.values())]
    return (answer in best) / len(best)


def guesses(document: Document, question: Question) -> dict[str, float]:
    """How likely each way of guessing without reading is to be right."""
    context, query = document.context, question.query
    asked = set(query.mentions())
    frequency = {marker: len(places) for marker, places in context.mentions().items()}
    rest = {marker: n for marker, n in frequency.items() if marker not in asked} or frequency
    overlap = dict.fromkeys(rest, 0)  # with the sentence that shares most with the question
    for place in context.sentences():
        sentence = context[place]
        shared = len({*sentence.tokens} & {*query.tokens})
        for marker in rest.keys() & sentence.mentions().keys():
            overlap[marker] = max(overlap[marker], shared)
    return {
        "chance": 1 / len(frequency),
        "maximum frequency": share(frequency, question.answer),
        "exclusive frequency": share(rest, question.answer),
        "word overlap": share(overlap, question.answer),
    }


def test_neither_trivial_nor_hopeless() -> None:
    points = [to_point(*story)[0] for story in stories(seed=11, count=500)]
    guessed = [guesses(document, question) for document, asked in points for question in asked]
    figures = {name: np.mean([each[name] for each in guessed]) for name in guessed[0]}
    assert len(guessed) > 3000
    assert 0.20 < figures["maximum frequency"] < 0.40
    assert figures["maximum frequency"] < figures["exclusive frequency"] < 0.45
    assert figures["exclusive frequency"] < figures["word overlap"] < 0.50
    assert figures["chance"] < 0.12


def test_the_question_alone_tells_nothing() -> None:
    """The best guess from a question's words, learned on other stories, is as good as chance."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)  # by word, for markers
    right = chance = asked = 0.0
    for index, story in enumerate(stories(seed=12, count=1000)):
        (document, questions), _ = to_point(*story)
        candidates = document.candidates()
        drawn = generator(12, index).permutation(len(candidates)).tolist()
        markers = dict(zip(candidates, drawn, strict=True))
        for question in questions:
            answer, query = markers[question.answer], question.query
            words = {token for token, m in zip(query.tokens, query.markers, strict=True) if m == -1}
            if index < 700:
                for word in words:
                    votes[word][answer] += 1
                continue
            total: Counter[int] = sum((votes[word] for word in words), Counter())
            present = {markers[marker] for marker in query.mentions() if marker in markers}
            free = [marker for marker in range(len(candidates)) if marker not in present]
            asked += 1
            right += max(free, key=lambda marker: total[marker]) == answer
            chance += 1 / len(free)
    assert right / asked == pytest.approx(chance / asked, abs=0.03)
