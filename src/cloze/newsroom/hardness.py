"""How hard the newsroom's questions are for those who do not read.

One question for each name in a highlight whose entity is in the article; the candidates are the
entities of the article. ``python -m cloze.newsroom.hardness --stories 1000`` prints:

    chance               one of the candidates, drawn blindly
    chance, exclusive    the same, but none that stands in the question
    maximum frequency    the candidate with most mentions in the article
    exclusive frequency  the same, but none that stands in the question
    word overlap         the candidate whose sentence shares most words with the question
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from cloze.document import Point
from cloze.newsroom.corpus import to_point
from cloze.newsroom.generator import stories
from cloze.text import A_WORD, Text


def measure(points: Iterable[Point]) -> dict[str, float]:
    """Accuracies; a tie counts as the share of the tied that is right."""
    total: defaultdict[str, float] = defaultdict(float)
    asked = 0
    for document, questions in points:
        context = document.context
        frequency = {marker: len(places) for marker, places in context.mentions().items()}
        parts = [context[places] for places in context.sentences()]
        sentences = [(part.mentions().keys(), words_of(part)) for part in parts]
        for question in questions:
            asked += 1
            present, words = question.query.mentions().keys(), words_of(question.query)
            rest = {m: n for m, n in frequency.items() if m not in present} or frequency
            overlap = {
                candidate: max(
                    len(own & words) + len(present & markers)
                    for markers, own in sentences
                    if candidate in markers
                )
                for candidate in rest
            }
            total["chance"] += 1 / len(frequency)
            total["chance, exclusive"] += (question.answer in rest) / len(rest)
            total["maximum frequency"] += _share(frequency, question.answer)
            total["exclusive frequency"] += _share(rest, question.answer)
            total["word overlap"] += _share(overlap, question.answer)
    return {name: value / asked for name, value in total.items()} | {"questions": float(asked)}


def words_of(text: Text) -> set[str]:
    """The words that are no names, punctuation aside."""
    words = (text.tokens[place] for place in np.flatnonzero(text.markers == A_WORD))
    return {word for word in words if any(map(str.isalnum, word))}


def _share(score: Mapping[int, int], answer: int) -> float:
    best = max(score.values())
    return (score.get(answer) == best) / sum(value == best for value in score.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    points = (to_point(*told)[0] for told in stories(arguments.seed, arguments.stories))
    for name, figure in measure(points).items():
        print(f"{name:20} {figure:10.0f}" if name == "questions" else f"{name:20} {figure:10.1%}")
