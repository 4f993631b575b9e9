"""Cloze questions: every mention in a highlight becomes the gap of one question.

highlight   Producer [Oisin Tymon] will not press charges against [Jeremy Clarkson]
questions   Producer @placeholder will not press charges against @entity1   (answer 3)
            Producer @entity3 will not press charges against @placeholder   (answer 1)
"""

from collections.abc import Container
from dataclasses import replace

from cloze.document import Question
from cloze.text import PLACEHOLDER, Text


def questions_of(
    name: str, document_id: str, text: Text, present: Container[int]
) -> tuple[list[Question], int]:
    """The questions of a text whose answer is in the context (its markers: `present`), and how many
    were left out because theirs is not. Other mentions of the answer keep its marker."""
    questions: list[Question] = []
    dropped = 0
    places = [place for place, marker in enumerate(text.markers) if marker >= 0]
    for mention, place in enumerate(places):
        answer = int(text.markers[place])
        if answer not in present:
            dropped += 1
            continue
        tokens = text.tokens.copy()
        tokens[place] = PLACEHOLDER
        query = replace(text, tokens=tokens)
        questions.append(Question(f"{name}-{mention}", document_id, query, answer))
    return questions, dropped
