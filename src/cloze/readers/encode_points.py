"""Encode documents and their questions in memory, in the order given."""

from collections.abc import Iterable, Sequence

import numpy as np

from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.randomness import key_of
from cloze.readers.encoded import EncodedSplit
from cloze.readers.encoder import Encoder, check_pool
from cloze.readers.type_ids import TypeIds, starts
from cloze.readers.vocabulary import FIRST_MARKER
from cloze.text import MARKER, Text


def encode_points(
    points: Iterable[tuple[Document, Sequence[Question]]], encoder: Encoder
) -> EncodedSplit:
    documents, questions = _Texts(), _Texts()
    entities, owners, answers, keys = [], [], [], []
    for number, (document, asked) in enumerate(points):
        check_pool(len(document.entities), encoder, document.id)
        local = {entity.marker: k for k, entity in enumerate(document.entities)}
        documents.add(document.context, local, f"document {document.id}")
        entities.append(len(document.entities))
        for question in asked:
            questions.add(question.query, local, f"question {question.id}")
            owners.append(number)
            answers.append(local.get(question.answer, -1))
            keys.append(key_of(question.id))
    return EncodedSplit(
        *documents.encoded(encoder),
        np.asarray(entities, np.int32),
        *questions.encoded(encoder),
        np.asarray(owners, np.int32),
        np.asarray(answers, np.int32),
        np.asarray(keys, np.uint64),
        documents.starts,
        questions.starts,
    )


class _Texts:
    """Texts with the local entities of their markers, encoded together at the end."""

    def __init__(self) -> None:
        self.types: dict[str, int] = {}
        self.codes: list[np.ndarray] = []
        self.markers: list[np.ndarray] = []  # the entity of each token, -1 for a word
        self.starts: np.ndarray | None = None

    def add(self, text: Text, local: dict[int, int], where: str) -> None:
        if not text.tokens:
            raise UserError("has no tokens; there is nothing to read", where=where)
        number = self.types
        coded = (number.setdefault(token, len(number)) for token in text.tokens)
        self.codes.append(np.fromiter(coded, np.int64, len(text)))
        entities = np.full(len(text), -1)
        for marker, places in text.mentions().items():
            if marker not in local:
                what = f"'{MARKER}{marker}' is not among the document's entities"
                raise UserError(what, where=where)
            entities[places] = local[marker]
        self.markers.append(entities)

    def encoded(self, encoder: Encoder) -> tuple[np.ndarray, np.ndarray]:
        """All ids laid end to end, and where each text begins."""
        none = [np.zeros(0, np.int64)]
        of_types = TypeIds.of(list(self.types), encoder)
        ids, counts = of_types.tokens(np.concatenate(none + self.codes))
        entities = np.repeat(np.concatenate(none + self.markers), counts)
        ids[entities >= 0] = FIRST_MARKER + entities[entities >= 0]
        if not encoder.whole:
            self.starts = starts(counts)
        ends = np.cumsum([0, *map(len, self.codes)])
        offsets = np.concatenate([[0], np.cumsum(counts)])[ends]
        return ids.astype(np.int32), offsets.astype(np.int64)
