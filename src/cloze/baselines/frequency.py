"""The frequency baselines: the entity that the context mentions most.

Maximum frequency takes the most frequent entity. Exclusive frequency takes the most frequent one
that does not stand in the question, since a question rarely names its own answer. Of two equally
frequent entities the one mentioned first wins.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from cloze.answering import Ranking, ranked
from cloze.document import Document, Question, Text, marker_of


def mentions(text: Text) -> Counter[int]:
    """How often each marker stands in the text, in the order of first mention."""
    return Counter(marker for token in text.tokens if (marker := marker_of(token)) >= 0)


def without(counts: Counter[int], banned: Iterable[int]) -> list[float]:
    """The counts as scores, those of the banned entities put below all others.

    >>> without(Counter({7: 5, 2: 3, 4: 1}), [7])
    [-1.0, 3.0, 1.0]
    """
    last = max(counts.values(), default=0) + 1
    out = set(banned)
    return [float(n - last if marker in out else n) for marker, n in counts.items()]


class MaximumFrequency:
    name = "Maximum frequency"

    def answer(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        counts = mentions(document.context)
        return [ranked(list(counts), without(counts, ()))] * len(questions)


class ExclusiveFrequency:
    name = "Exclusive frequency"

    def answer(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        counts = mentions(document.context)
        return [
            ranked(list(counts), without(counts, mentions(question.query)))
            for question in questions
        ]
