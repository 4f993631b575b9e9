"""Cloze questions: every mention in a highlight becomes, in turn, the gap.

highlight   Producer [Oisin Tymon] will not press charges against [Jeremy Clarkson]
questions   Producer @placeholder will not press charges against @entity1   (answer 3)
            Producer @entity3 will not press charges against @placeholder   (answer 1)
"""

from collections.abc import Sequence
from dataclasses import replace

from cloze.document import Question
from cloze.text import PLACEHOLDER, Text


def questions_of(
    document_id: str, context: Text, highlights: Sequence[Text], places: Sequence[Sequence[int]]
) -> tuple[list[Question], int]:
    """The questions whose answer stands in the context, and how many were dropped because theirs
    does not. Other mentions of the answer stay in the question as its marker."""
    present = context.mentions()
    questions: list[Question] = []
    dropped = 0
    for number, (highlight, markers) in enumerate(zip(highlights, places, strict=True)):
        for mention, place in enumerate(markers):
            answer = int(highlight.markers[place])
            if answer not in present:
                dropped += 1
                continue
            tokens = highlight.tokens.copy()
            tokens[place] = PLACEHOLDER
            query = replace(highlight, tokens=tokens)
            name = f"{document_id}-{number}-{mention}"
            questions.append(Question(name, document_id, query, answer))
    return questions, dropped
