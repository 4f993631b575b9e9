"""A control: every question is put to an article that it is not about.

Nothing there answers it, so a reader should not be sure. A name of the question that also occurs in
the other article has its entity there; every other name is one that the article does not mention,
just as when a person asks about the wrong text.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from cloze.answering import Answerer, answers
from cloze.document import Document, Entity, Point, Question
from cloze.errors import UserError
from cloze.evaluation.bootstrap import Interval, interval
from cloze.text import MARKER


@dataclass(frozen=True)
class Sureness:
    """How sure a model was of answers that cannot be right."""

    questions: int
    above: dict[float, Interval]  # the share of answers above each confidence


def put_wrongly(points: Iterable[Point]) -> Iterator[Point]:
    """The questions of each document, put to the document before it; those of the first, to the
    last. Documents without questions are left out."""
    first: Point | None = None
    before: Document | None = None
    for document, questions in points:
        if not questions:
            continue
        if before is None:
            first = (document, questions)
        else:
            yield _moved(before, document, questions)
        before = document
    if first is None or before is None or before is first[0]:
        raise UserError("there are not two documents whose questions could change places")
    yield _moved(before, *first)


def how_sure(answerer: Answerer, points: Iterable[Point], *, seed: int = 0) -> Sureness:
    """Over questions put to the wrong article, how often the answer has more than half, or more
    than nine tenths of the probability."""
    sure, owner = [], []
    for number, (_, _, rankings) in enumerate(answers(answerer, put_wrongly(points), seed=seed)):
        for ranking in rankings:
            chances = ranking.probabilities
            if chances is None:
                raise UserError(f"the scores of {answerer.name} are not probabilities")
            sure.append(float(chances[0]) if len(chances) else 0.0)
            owner.append(number)
    confidence, documents = np.array(sure), np.array(owner)
    above = {cut: interval(confidence > cut, documents) for cut in (0.5, 0.9)}
    return Sureness(len(sure), above)


def _moved(document: Document, own: Document, questions: list[Question]) -> Point:
    """The questions about `own`, asked of another document."""
    known = {
        form.casefold(): entity.marker for entity in document.entities for form in _forms(entity)
    }
    fresh = itertools.count(max(known.values(), default=-1) + 1)
    asked = {marker for question in questions for marker in question.query.mentions()}
    names: dict[int, int] = {}
    added: list[Entity] = []
    for entity in own.entities:
        same = [known[f.casefold()] for f in _forms(entity) if f.casefold() in known]
        if same:
            names[entity.marker] = same[0]
        elif entity.marker in asked:
            names[entity.marker] = next(fresh)
            added.append(replace(entity, marker=names[entity.marker]))
    shown = [_renamed(question, names, document.id) for question in questions]
    return replace(document, entities=(*document.entities, *added)), shown


def _renamed(question: Question, names: dict[int, int], document: str) -> Question:
    tokens = question.query.tokens.copy()
    for marker, places in question.query.mentions().items():
        for place in places:
            tokens[place] = f"{MARKER}{names[marker]}"
    query = replace(question.query, tokens=tokens)
    answer = names.get(question.answer, -1)  # nobody, unless the article names it too
    return replace(question, query=query, answer=answer, document_id=document)


def _forms(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.surfaces)
