"""Two controls that show whether a corpus is sound.

Question only answers without the document: of the entities that the question does not name, it
takes the one with the lowest marker. It does well if the markers give something away, for example
if they are numbered by frequency. With markers permuted for every data point it must be at chance;
a corpus on which it is not gives its answers away.

First mention takes the entity that the context names first, which news writing favours.
"""

from collections.abc import Sequence

from cloze.answering import Ranking, ranked
from cloze.baselines.baseline import Baseline
from cloze.document import Document, Question


class QuestionOnly(Baseline):
    name = "Question only"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        candidates = sorted(document.candidates())
        answers = []
        for question in questions:
            named = question.query.mentions()
            last = max(candidates, default=0) + 1
            scores = [-float(marker + last * (marker in named)) for marker in candidates]
            answers.append(ranked(candidates, scores))
        return answers


def chance(document: Document, question: Question) -> float:
    """How often a random choice among the entities that the question does not name is right."""
    named = question.query.mentions()
    open_to = [marker for marker in document.candidates() if marker not in named]
    return 1 / len(open_to) if question.answer in open_to else 0.0


class FirstMention(Baseline):
    name = "First mention"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        candidates = document.candidates()
        ranking = ranked(candidates, [-float(place) for place in range(len(candidates))])
        return [ranking] * len(questions)
