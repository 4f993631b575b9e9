"""Which questions get a heat map: right and wrong ones, of every cause.

A page cannot hold the attention of every question, so it holds a fixed number: half of them
answered correctly, half wrongly, in an order that depends only on the question's id, so that
different readers show many of the same questions.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from cloze.errors import UserError
from cloze.evaluation.metrics import Comparison
from cloze.randomness import key_of
from cloze.reporting.texts import Texts

Map = tuple[int, str]  # a model's place in the comparison, and a question's id
PAIRS = 2  # shown side by side in the gallery, for each model


def choose(comparison: Comparison, texts: Texts, most: int) -> tuple[list[Map], list[list[int]]]:
    """The heat maps of the page, and the gallery: pairs [right, wrong] of indices into them."""
    kept = {k: model.source.attended for k, model in enumerate(comparison.models)}
    looking = {k: has for k, has in kept.items() if has}
    maps: list[Map] = []
    gallery: list[list[int]] = []
    for k, has in looking.items():
        right, wrong = (_ordered(comparison, texts, k, has, wanted) for wanted in (True, False))
        half = max(1, most // (2 * len(looking)))
        begin = len(maps)
        chosen_right, chosen_wrong = list(islice(right, half)), list(islice(wrong, half))
        maps += [(k, question) for question in chosen_right + chosen_wrong]
        middle = begin + len(chosen_right)
        for pair in range(PAIRS):
            here = [begin + pair] if pair < len(chosen_right) else []
            here += [middle + pair] if pair < len(chosen_wrong) else []
            if here:
                gallery.append(here)
    return maps, gallery


def _ordered(
    comparison: Comparison, texts: Texts, model: int, has: frozenset[str], right: bool
) -> Iterator[str]:
    """First a few on short documents, as in the paper, with different causes; then all others."""
    answers = comparison.models[model]
    ids = answers.question_ids
    rows = [
        row
        for row in np.flatnonzero(answers.correct == right)
        if ids[row] in has and ids[row] in texts.questions
    ]
    rows.sort(key=lambda row: key_of(str(ids[row])))
    short = sorted(rows, key=lambda row: abs(int(answers.document_tokens[row]) - 250))
    causes: set[int] = set()
    documents: set[int] = set()
    first = []
    for row in short[: 40 * PAIRS]:
        cause, document = int(texts.causes[model, row]), int(answers.documents[row])
        if document not in documents and (right or cause not in causes):
            causes.add(cause)
            documents.add(document)
            first.append(row)
        if len(first) == PAIRS:
            break
    yield from (str(ids[row]) for row in dict.fromkeys([*first, *rows]))


def with_attention(
    comparisons: Sequence[Comparison], questions: Sequence[str]
) -> list[tuple[Comparison, list[str]]]:
    """The comparisons that have attention, each with those of the questions that it has it for.

    A question that none has goes to the first, which refuses it.
    """
    looked = [
        (comparison, frozenset().union(*(model.source.attended for model in comparison.models)))
        for comparison in comparisons
    ]
    unknown = [q for q in questions if not any(q in has for _, has in looked)]
    found = [
        (comparison, [q for q in questions if q in has or q in unknown])
        for comparison, has in looked
        if has and (not questions or unknown or not has.isdisjoint(questions))
    ]
    return found or [(comparisons[0], list(questions))]


def chosen_maps(
    comparison: Comparison, texts: Texts, questions: Sequence[str], pairs: int
) -> tuple[list[Map], list[list[int]]]:
    """The maps of the given questions, or a choice of right and wrong ones side by side."""
    looking = {k: model.source.attended for k, model in enumerate(comparison.models)}
    if not any(looking.values()):
        raise UserError(
            "these predictions hold no attention",
            where=comparison.models[0].path,
            fix="evaluate an attention reader with --attention",
        )
    if not questions:
        maps, _ = choose(comparison, texts, 2 * pairs * sum(map(bool, looking.values())))
        right, wrong = ([], []) if not maps else _by_verdict(comparison, maps)
        return maps, [[m for m in pair if m is not None] for pair in _side_by_side(right, wrong)]
    maps = [(k, q) for q in questions for k, has in looking.items() if q in has]
    missing = [q for q in questions if all(q not in has for has in looking.values())]
    if missing:
        raise UserError(
            f"there is no attention for the question {missing[0]}", fix="see cloze report for ids"
        )
    return maps, [[k] for k in range(len(maps))]


def _by_verdict(comparison: Comparison, maps: list[Map]) -> tuple[list[int], list[int]]:
    verdicts = [
        {str(q): bool(right) for q, right in zip(m.question_ids, m.correct, strict=True)}
        for m in comparison.models
    ]
    right = [k for k, (model, question) in enumerate(maps) if verdicts[model][question]]
    return right, [k for k in range(len(maps)) if k not in set(right)]


def _side_by_side(right: list[int], wrong: list[int]) -> list[tuple[int | None, int | None]]:
    longest = max(len(right), len(wrong))
    filled = (
        side + [None] * (longest - len(side))
        for side in (list[int | None](right), list[int | None](wrong))
    )
    return list(zip(*filled, strict=True))
