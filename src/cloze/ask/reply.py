"""The reply: what was prepared and ranked, with the names put back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cloze.answering import Ranking
from cloze.ask import messages
from cloze.ask.article import Prepared
from cloze.ask.gap import GAP
from cloze.document import Document, Question
from cloze.text import Text


class Read(NamedTuple):
    """What a model answered, and how its answer changed from word to word of the question."""

    ranking: Ranking
    film: np.ndarray | None = None  # [words, candidates]


def reply(
    prepared: Prepared,
    names: Sequence[str],
    rankings: Sequence[Read | None],
    unknown: dict[str, list[int]],
) -> messages.ReadResponse:
    document = prepared.document
    return messages.ReadResponse(
        article=_words(document.context),
        entities=_entities(document),
        sentences=[
            messages.Sentence(
                source=sentence.source,
                text=_words(sentence.text),
                gaps=[_gap(question) for question in sentence.questions],
            )
            for sentence in prepared.sentences
        ],
        unknown=unknown,
        question=None if prepared.question is None else _asked(prepared.question),
        answers=[_answer(document, name, read) for name, read in zip(names, rankings, strict=True)],
    )


def _words(text: Text) -> messages.Words:
    return messages.Words(
        words=text.surfaces,
        tokens=text.tokens,
        after=[after for _, _, after in text.words()],
        entities=[None if marker < 0 else marker for marker in text.markers.tolist()],
    )


def _entities(document: Document) -> list[messages.Named]:
    mentions = document.context.mentions()
    return [
        messages.Named(
            id=entity.marker,
            name=entity.name,
            type=entity.type,
            names=list(entity.surfaces),
            mentions=mentions.get(entity.marker, []),
        )
        for entity in document.entities
    ]


def _gap(question: Question) -> messages.Gap:
    place = question.query.gap
    surfaces = question.query.surfaces.copy()
    surfaces[place] = GAP
    text = replace(question.query, surfaces=surfaces)
    return messages.Gap(word=place, entity=question.answer, question=text.original)


def _asked(question: Question) -> messages.Asked:
    return messages.Asked(text=_words(question.query), gap=question.query.gap)


def _answer(document: Document, name: str, read: Read | None) -> messages.Answer:
    if read is None:
        return messages.Answer(
            model=name,
            candidates=[],
            attention=None,
            film=None,
            sure=None,
            meaning=None,
            outside=False,
            windows=1,
        )
    ranking = read.ranking
    shares = ranking.probabilities
    candidates = [
        messages.Candidate(
            entity=int(marker),
            name=document.name_of(int(marker)),
            score=float(score),
            probability=None if shares is None else float(shares[place]),
        )
        for place, (marker, score) in enumerate(
            zip(ranking.candidates, ranking.scores, strict=True)
        )
    ]
    attention = None
    if ranking.attention is not None:
        rows = ranking.attention.reshape(-1, len(document.context)).astype(float)
        attention = rows.round(6).tolist()
    return messages.Answer(
        model=name,
        candidates=candidates,
        attention=attention,
        film=None if read.film is None else read.film.astype(float).round(6).tolist(),
        sure=ranking.sure,
        meaning=ranking.meaning,
        outside=ranking.outside,
        windows=ranking.windows,
    )
