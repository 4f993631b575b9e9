"""How accuracy depends on the words that question and article share.

    python experiments/shared_words.py predictions/encoder-reader-cnn-valid.parquet others/*.parquet

For each question: which share of its words stands in one sentence that names the answer, the best
such sentence. Words of one or two letters, names and the commonest words do not count. All
predictions must be of the same questions; the last columns set each of the others beside the first,
with 95 % intervals over documents.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from cloze.corpus.store import Corpus
from cloze.document import Document, Question
from cloze.evaluation.bootstrap import difference
from cloze.evaluation.metrics import Answers, load
from cloze.tables import Table, as_markdown

# Half a question's words and more are common; below a quarter they begin to run out.
EDGES = (0.0, 0.05, 0.15, 0.25, 0.4, 0.6, 0.8, 1.01)
COMMON = frozenset(
    "the and for was with his her she that from are has have had who after not but they their its "
    "this will been were says said say new".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("predictions", type=Path, nargs="+")
    parser.add_argument("--corpus", type=Path, help="where it is, if it was moved")
    arguments = parser.parse_args()
    all_answers = [load(path) for path in arguments.predictions]
    first = all_answers[0]
    if not all(np.array_equal(one.question_ids, first.question_ids) for one in all_answers):
        raise SystemExit("the predictions are not of the same questions in the same order")
    corpus = Corpus.open(arguments.corpus or first.about.corpus_path)
    found = {
        question.id: shared(document, question)
        for document, questions in corpus.read(first.about.split)
        for question in questions
    }
    shares = np.array([found[id] for id in first.question_ids])
    heads = ["words shared", "questions", *(str(path.parent) for path in arguments.predictions)]
    heads += [f"{path.parent} over the first" for path in arguments.predictions[1:]]
    print(as_markdown(Table(heads, rows_of(shares, all_answers), align="l")))


def rows_of(shares: np.ndarray, all_answers: list[Answers]) -> list[list[str]]:
    rows = []
    for low, high in pairwise(EDGES):
        here = (shares >= low) & (shares < high)
        documents = all_answers[0].documents[here]
        right = [answers.correct[here] for answers in all_answers]
        row = [f"{low:.0%} to {min(high, 1):.0%}", f"{here.sum():,}"]
        row += [f"{100 * one.mean():.1f}" for one in right]
        for one in right[1:]:
            gap = difference(one, right[0], documents)
            row.append(f"{100 * gap.share:+.1f} [{100 * gap.low:.1f}, {100 * gap.high:.1f}]")
        rows.append(row)
    return rows


def shared(document: Document, question: Question) -> float:
    """The share of the question's words in the best sentence that names the answer."""
    asked = words(question.query.tokens)
    context = document.context
    sentences = [context[place] for place in context.sentences()]
    naming = [one for one in sentences if question.answer in one.mentions()]
    most = max((len(asked & words(sentence.tokens)) for sentence in naming), default=0)
    return most / len(asked) if asked else 0.0


def words(tokens: list[str]) -> set[str]:
    return {token for token in tokens if token.isalnum() and len(token) > 2} - COMMON


if __name__ == "__main__":
    main()
