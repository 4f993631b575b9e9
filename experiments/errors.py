"""A sample of a model's wrong answers, to be read and sorted by a person.

    python experiments/errors.py predictions/encoder-reader-cnn-valid.parquet --out errors.txt
    python experiments/errors.py predictions/... --sample 20 --whole --out errors.txt

For each: the question, the right answer and the one given, every name that was joined with them,
and the sentences that matter: those closest to the question by its words and names, and the first
ones that mention either answer. The file holds parts of the articles; mind where it goes.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cloze.corpus.store import Corpus
from cloze.document import Document, Question
from cloze.evaluation.metrics import Answers, load
from cloze.files import write_text
from cloze.randomness import generator
from cloze.text import THE_GAP, Text

CLOSEST, MENTIONING = 3, 3  # sentences that are shown


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("predictions", type=Path)
    parser.add_argument("--corpus", type=Path, help="where it is, if it was moved")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="the whole articles")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    answers = load(arguments.predictions)
    wrong = np.flatnonzero(~answers.correct)
    chosen = generator(arguments.seed).permutation(wrong)[: arguments.sample]
    corpus = Corpus.open(arguments.corpus or answers.about.corpus_path)
    texts = "\n".join(shown(answers, corpus, chosen, arguments.whole))
    write_text(arguments.out, texts)
    print(f"{len(chosen)} of {len(wrong)} wrong answers to {len(answers)} questions")


def shown(answers: Answers, corpus: Corpus, chosen: np.ndarray, whole: bool) -> Iterator[str]:
    row_of = {answers.question_ids[row]: row for row in chosen}
    number = 0
    for document, questions in corpus.read(answers.about.split):
        for question in questions:
            if question.id in row_of:
                number += 1
                row = row_of[question.id]
                given, sure = int(answers.predicted[row]), float(answers.confidence[row])
                yield f"== {number}: {question.id}"
                yield from one_error(document, question, given, sure, whole)


def one_error(
    document: Document, question: Question, given: int, sure: float, whole: bool
) -> Iterator[str]:
    yield f"Q  {written(question.query)}"
    yield f"   right  {names(document, question.answer)}"
    yield f"   given  {names(document, given)}  ({sure:.2f})"
    context = document.context
    sentences = [context[place] for place in context.sentences()]
    kept = range(len(sentences)) if whole else telling(sentences, question, given)
    for k in kept:
        marks = {question.answer: "R", given: "G"}
        found = [sign for marker, sign in marks.items() if marker in sentences[k].mentions()]
        yield f"   [{k}{''.join(found)}] {sentences[k].original}"


def telling(sentences: list[Text], question: Question, given: int) -> list[int]:
    """The sentences closest to the question, and the first that mention either answer."""
    asked = {token for token in question.query.tokens if len(token) > 3}
    close = [len(asked & set(sentence.tokens)) for sentence in sentences]
    kept = set(np.argsort(-np.array(close), kind="stable")[:CLOSEST].tolist())
    for marker in (question.answer, given):
        holding = [k for k, sentence in enumerate(sentences) if marker in sentence.mentions()]
        kept.update(holding[:MENTIONING])
    return sorted(kept)


def names(document: Document, marker: int) -> str:
    forms = next((e.surfaces for e in document.entities if e.marker == marker), ())
    times = len(document.context.mentions().get(marker, ()))
    return f"{' / '.join(forms) or document.name_of(marker)}  ({times} mentions)"


def written(query: Text) -> str:
    words = ("___" if marker == THE_GAP else word for word, marker, _ in query.words())
    return " ".join(words)


if __name__ == "__main__":
    main()
