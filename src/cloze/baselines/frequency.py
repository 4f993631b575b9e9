"""The frequency baselines: the entity that the context mentions most.

Maximum frequency takes the most frequent entity. Exclusive frequency takes the most frequent one
that is not in the question, since a question rarely names its own answer. Of two equally frequent
entities, the one mentioned first wins.
"""

from collections.abc import Container, Mapping, Sequence

from cloze.answering import Ranking, ranked
from cloze.baselines.baseline import Baseline
from cloze.document import Document, Question


def frequencies(mentions: Mapping[int, Sequence[int]], banned: Container[int]) -> list[float]:
    """How often each entity is mentioned, as scores; the banned ones come below all others.

    >>> frequencies({7: [0, 3, 4], 2: [1, 5], 4: [9]}, banned=[7])
    [-1.0, 2.0, 1.0]
    """
    last = max(map(len, mentions.values()), default=0) + 1
    return [
        float(len(places) - (last if marker in banned else 0))
        for marker, places in mentions.items()
    ]


class MaximumFrequency(Baseline):
    name = "Maximum frequency"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        mentions = document.context.mentions()
        return [ranked(list(mentions), frequencies(mentions, ()))] * len(questions)


class ExclusiveFrequency(Baseline):
    name = "Exclusive frequency"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        mentions = document.context.mentions()
        return [
            ranked(list(mentions), frequencies(mentions, question.query.mentions()))
            for question in questions
        ]
