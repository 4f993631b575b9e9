"""Take documents and questions from arrays that exist already, instead of encoding them."""

from collections.abc import Sequence

import numpy as np

from cloze.document import Point
from cloze.errors import UserError
from cloze.readers.encoded import EncodedSplit


class StoredPoints:
    """Finds points in an encoded split by their ids and returns what `encode_points` would."""

    def __init__(self, split: EncodedSplit) -> None:
        self.split = split
        self.documents = {name: row for row, name in enumerate(split.document_ids)}
        self.questions = {name: row for row, name in enumerate(split.question_ids)}

    def __call__(self, points: Sequence[Point]) -> EncodedSplit:
        documents = [self._row(self.documents, document.id, "document") for document, _ in points]
        questions = [
            self._row(self.questions, q.id, "question") for _, asked in points for q in asked
        ]
        found = self.split.some(documents, questions)
        for number, (document, _) in enumerate(points):
            if found.tokens_of(number) != len(document.context):
                raise UserError(
                    "has changed since it was encoded",
                    where=f"document {document.id}",
                    fix="encode the corpus again, or answer without --encoded",
                )
        found.question_document[:] = np.repeat(
            np.arange(len(points)), [len(asked) for _, asked in points]
        )
        return found

    def _row(self, rows: dict[str, int], name: str, kind: str) -> int:
        if name not in rows:
            raise UserError(
                f"the {kind} {name} is not among the encoded ones",
                where=self.split.directory,
                fix="encode this split, or answer without --encoded",
            )
        return rows[name]
