"""Readers and baselines on the fresh texts, with the builder's names and with names marked by hand.

    python experiments/fresh.py --half look
    python experiments/fresh.py --half look runs/attentive/model runs/impatient/model

Every question is put as `cloze ask` puts it: the builder never sees the answer's name in it. With
the builder's names the right answer is the marker at most of the true mentions of the entity asked
for; if there is no such marker, nobody can be right. With names marked by hand it is the entity
itself. All baselines and shipped readers answer, and any other that is named. Accuracy in %, with
95 % intervals over texts. A second table sets accuracy beside confidence, for those that give
probabilities, and a third sets each reader that is named beside the one that answers by default, on
the same questions.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cloze.answering import Answerer, answers
from cloze.ask.gap import GAP, Gapped, find_gap
from cloze.baselines import BASELINES
from cloze.builder.cleaning import clean_article
from cloze.builder.gold_scores import clusters_in
from cloze.builder.marked_scores import NEWSWIRE, markers_of
from cloze.builder.marked_texts import MarkedQuestion, MarkedText, read_texts
from cloze.builder.prepare import prepare
from cloze.document import Point, Question
from cloze.evaluation.bootstrap import difference, interval
from cloze.evaluation.calibration import calibration_error
from cloze.finding import find_all, pipeline_to_ask_with
from cloze.names.detection import Pipeline, annotate
from cloze.names.language import RULES, load_language
from cloze.names.name import Span
from cloze.names.spans import StorySpans
from cloze.readers.shipped_models import DEFAULT, shipped_models
from cloze.stories import Story
from cloze.tables import Table, as_markdown, markdown_row
from cloze.text import PLACEHOLDER, Text

TEXTS = Path(__file__).parents[1] / "tests" / "fresh" / "texts"
ENGLISH = load_language("en")  # the names marked by hand need no rules
NOBODY = -1  # an answer that has no marker


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readers", nargs="*", help="folders, or whatever else cloze evaluate takes")
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--half", choices=["look", "final"])
    parser.add_argument(
        "--manner", choices=[NEWSWIRE, "other"], help="newswire or all but newswire"
    )
    parser.add_argument("--pipeline")
    parser.add_argument("--rules", type=int, default=RULES)
    parser.add_argument("--exact", action="store_true", help="no products in 8 bits")
    parser.add_argument(
        "--namings", type=int, default=1, help="ask under so many draws of the markers; count all"
    )
    arguments = parser.parse_args()
    texts = [
        text
        for text in read_texts(arguments.texts, arguments.half)
        if arguments.manner in (None, NEWSWIRE if text.manner == NEWSWIRE else "other")
    ]
    pipeline = pipeline_to_ask_with(arguments.pipeline)
    corpora = {
        "builder's names": [built(text, pipeline, arguments.rules) for text in texts],
        "marked names": [marked(text) for text in texts],
    }
    asked = corpora["builder's names"]
    for name, wanted in (("plain", is_plain), ("paraphrased", lambda q: not is_plain(q))):
        questions = [q for _, own in asked for q in own if wanted(q)]
        lost = sum(question.answer == NOBODY for question in questions)
        print(f"{len(texts)} texts, {len(questions)} {name} questions; the builder has no marker "
              f"for the answer of {lost}")  # fmt: skip
    sorts = [f"{sort}, {names}" for names in corpora for sort in ("plain", "paraphrased")]
    print(as_markdown(Table(["", *sorts])), flush=True)
    sure: list[list[str]] = []
    all_given: dict[str, dict[str, Given]] = {}
    found = find_all([*BASELINES, *shipped_models(), *arguments.readers], exact=arguments.exact)
    names = [answerer.name for answerer in found.values()]
    for label, answerer in found.items():
        own = answerer.name if names.count(answerer.name) == 1 else f"{answerer.name} ({label})"
        cells = []
        for names_of, points in corpora.items():
            given = answered(answerer, points, arguments.namings)
            all_given.setdefault(label, {}).update(
                {f"{sort}, {names_of}": one for sort, one in given.items()}
            )
            cells += [accuracy(one) for one in given.values()]
            sure += [[own, f"{sort}, {names_of}", *confidence(one)] for sort, one in given.items()]
        print(markdown_row([own, *cells]), flush=True)
    heads = ["", "questions", "accuracy", "mean confidence", "ECE", "above 90 %", "of these wrong"]
    print(as_markdown(Table(heads, [row for row in sure if len(row) > 2], align="llr")))
    others = list(all_given)[-len(arguments.readers) :] if arguments.readers else []
    for label in others:
        ahead = {
            sort: difference(one.correct, all_given[DEFAULT][sort].correct, one.documents)
            for sort, one in all_given[label].items()
        }
        rows = [
            [
                sort,
                f"{100 * by.share:+.1f} [{100 * by.low:.1f}, {100 * by.high:.1f}]",
                f"{by.p:.3f}",
            ]
            for sort, by in ahead.items()
        ]
        print(as_markdown(Table([f"{label} over {DEFAULT}", "points", "p"], rows)))


def built(text: MarkedText, pipeline: Pipeline = None, rules: int = RULES) -> Point:
    """The text as a document with questions, its names found by the builder."""
    gaps = [find_gap(question.ask.text) for question in questions_of(text)]
    story = Story(text.id, text.article.text, ())
    apart = [Story(f"question {number}", gap.for_tagger, ()) for number, gap in enumerate(gaps)]
    article, *found = annotate([story, *apart], pipeline)
    spans: list[list[Span]] = [
        [(*place, kind) for start, end, kind in own.texts[0] if (place := gap.place(start, end))]
        for gap, own in zip(gaps, found, strict=True)
    ]
    language = load_language("en", rules)
    tagged = StorySpans(text.id, [*article.texts, *spans])
    point = prepare(story, tagged, language, [gap.spaced for gap in gaps])
    said = clusters_in(point.document, clean_article(story.article, language))
    markers = {key: own.most_common(1)[0][0] for key, own in markers_of(text, said).items() if own}
    right = [markers.get(question.answer, NOBODY) for question in questions_of(text)]
    return point.document, put(text, point.also, right)


def marked(text: MarkedText) -> Point:
    """The text as a document with questions, its names those that were marked."""
    cleaned = clean_article(text.article.text, ENGLISH)
    gaps = [find_gap(question.ask.text) for question in questions_of(text)]
    marks = [
        [(m.start, m.end, m.key) for m in text.article.marks if cleaned[m.start : m.end].strip()],
        *map(_in_gapped, questions_of(text), gaps),
    ]
    places: dict[str, list[tuple[int, int, int]]] = {key: [] for key in text.types}
    for number, own in enumerate(marks):
        for start, end, key in own:
            places[key].append((number, start, end))
    spans = [[(start, end, text.types[key]) for start, end, key in own] for own in marks]
    point = prepare(
        Story(text.id, text.article.text, ()),
        StorySpans(text.id, spans, list(places.values()), gold=True),
        ENGLISH,
        [gap.spaced for gap in gaps],
    )
    said = clusters_in(point.document, cleaned)
    markers = {key: max(own) for key, own in markers_of(text, said).items() if own}
    right = [markers[question.answer] for question in questions_of(text)]
    return point.document, put(text, point.also, right)


def _in_gapped(question: MarkedQuestion, gap: Gapped) -> list[Span]:
    """The positions of a question's marked names when its gap has spaces around it."""
    longer = len(gap.text) - len(question.ask.text)  # how much longer the gap's sign is than X
    found = []
    for start, end, key in question.ask.marks:
        by = longer if start > gap.start else 0
        place = gap.place(start + by, end + by)
        assert place is not None, question.ask
        found.append((*place, key))
    return found


def questions_of(text: MarkedText) -> list[MarkedQuestion]:
    return [*text.plain, *text.paraphrased]


def put(text: MarkedText, queries: Sequence[Text], right: Sequence[int]) -> list[Question]:
    """The questions as answerers see them; their ids say which sort they are."""
    found = []
    for number, (query, answer) in enumerate(zip(queries, right, strict=True)):
        tokens = [PLACEHOLDER if word == GAP else word for word in query.tokens]
        sort = "plain" if number < len(text.plain) else "paraphrased"
        name = f"{text.id}-{sort}-{number}"
        found.append(Question(name, text.id, replace(query, tokens=tokens), answer))
    return found


def is_plain(question: Question) -> bool:
    return "-plain-" in question.id


class Given(NamedTuple):
    """What was answered to the questions of one sort; the arrays have an element for each."""

    correct: np.ndarray
    documents: np.ndarray
    sure: np.ndarray | None  # the answers' probabilities, where the scores are some


def answered(answerer: Answerer, points: Sequence[Point], namings: int = 1) -> dict[str, Given]:
    """The answers to the plain and to the paraphrased questions, under each naming of the
    entities."""
    rows: dict[str, list[tuple[bool, int, float]]] = {"plain": [], "paraphrased": []}
    chances = True
    for seed, (number, point) in product(range(namings), enumerate(points)):
        ((_, questions, rankings),) = answers(answerer, [point], seed=seed)
        for question, ranking in zip(questions, rankings, strict=True):
            said = NOBODY if ranking.outside else ranking.answer
            correct = said == question.answer != NOBODY
            chances = chances and ranking.probabilities is not None
            sure = float(ranking.scores[0]) if len(ranking.scores) else 0.0
            rows["plain" if is_plain(question) else "paraphrased"].append((correct, number, sure))
    found = {}
    for sort, own in rows.items():
        correctly, documents, surely = (np.array(column) for column in zip(*own, strict=True))
        found[sort] = Given(correctly, documents, surely if chances else None)
    return found


def accuracy(given: Given) -> str:
    about = interval(given.correct, given.documents)
    return f"{100 * about.share:.1f} [{100 * about.low:.0f}, {100 * about.high:.0f}]"


def confidence(given: Given) -> list[str]:
    """Accuracy beside mean confidence, and how often the surest answers are wrong."""
    correct, _, sure = given
    if sure is None:
        return []
    surest = sure > 0.9
    return [
        f"{100 * correct.mean():.1f}",
        f"{100 * sure.mean():.1f}",
        f"{calibration_error(sure, correct):.3f}",
        f"{surest.sum()}",
        f"{(surest & ~correct).sum()}",
    ]


if __name__ == "__main__":
    main()
