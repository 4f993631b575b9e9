"""One pass over a corpus for what predictions do not hold: the texts and the causes.

The page needs the texts of the questions it shows, and a cause for every wrong answer.
"""

from dataclasses import dataclass, field

import numpy as np

from cloze.baselines.controls import chance
from cloze.corpus.store import Corpus
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.evaluation.causes import CAUSES, Article, Reading
from cloze.evaluation.metrics import Comparison
from cloze.names.language import load_language
from cloze.progress import track

RIGHT = len(CAUSES)  # in `causes`, if the answer is right and needs no explanation


@dataclass
class Texts:
    causes: np.ndarray  # uint8 [models, questions]: a place in CAUSES, or RIGHT
    chance: float = 0.0  # of a blind choice among entities that the question does not name
    documents: dict[str, Document] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)

    def cause_counts(self) -> np.ndarray:
        """[models, causes] wrong answers of each cause."""
        return np.stack([np.bincount(row, minlength=RIGHT + 1)[:RIGHT] for row in self.causes])


def read_texts(comparison: Comparison, corpus: Corpus, most_questions: int) -> Texts:
    """Keep the texts of at most `most_questions` questions, spread evenly over the documents."""
    first = comparison.models[0]
    if corpus.fingerprint != first.about.corpus_fingerprint:
        raise UserError(
            f"is not the corpus of the predictions ({corpus.fingerprint}; they were made on "
            f"{first.about.corpus_fingerprint})",
            where=corpus.path,
            fix="evaluate again, or give the right folder with --corpus",
        )
    row_of = {question: row for row, question in enumerate(first.question_ids)}
    keys = [cause.key for cause in CAUSES]
    predicted = np.stack([model.predicted for model in comparison.models])
    texts = Texts(np.full(predicted.shape, RIGHT, np.uint8))
    thinning = max(1, -(-len(first) // most_questions))  # one of this many documents is kept
    documents = corpus.count(comparison.split, "documents")
    points = track(corpus.read(comparison.split), "reading", total=documents, unit="documents")
    language = load_language(corpus.language)
    met = 0
    for document, questions in points:
        asked = [question for question in questions if question.id in row_of]
        if not asked:
            continue
        if met % thinning == 0:
            texts.documents[document.id] = document
            texts.questions.update((question.id, question) for question in asked)
        met += 1
        article = Article(document, language)
        for question in asked:
            texts.chance += chance(document, question) / len(first)
            row, reading = row_of[question.id], Reading(article, question)
            _check_same(comparison, row, question)
            wrong = {int(m) for m in predicted[:, row] if m != question.answer}
            found = {marker: keys.index(reading.cause(marker)) for marker in wrong}
            for model, marker in enumerate(predicted[:, row]):
                texts.causes[model, row] = found.get(int(marker), RIGHT)
    return texts


def _check_same(comparison: Comparison, row: int, question: Question) -> None:
    for model in comparison.models:
        if (model.document_ids[row], model.answer[row]) != (question.document_id, question.answer):
            raise UserError(
                f"says something else about question {question.id} than the corpus does",
                where=model.path,
                fix="evaluate again",
            )
