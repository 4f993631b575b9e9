"""Which questions get a heat map in the page: right and wrong ones, of every cause.

A page cannot hold the attention of every question, so it holds a fixed number: half of them
answered rightly, half wrongly, in an order that depends on the question's id alone, so that
several readers show many of the same questions.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow.parquet as pq

from cloze.evaluation.metrics import Comparison
from cloze.evaluation.page_data import Map
from cloze.evaluation.reading import Texts
from cloze.randomness import key_of

PAIRS = 2  # shown side by side in the gallery, for each model


def choose(comparison: Comparison, texts: Texts, most: int) -> tuple[list[Map], list[list[int]]]:
    """The heat maps of the page, and the gallery: pairs [right, wrong] of places among them."""
    looking = [k for k, model in enumerate(comparison.models) if with_attention(model.path)]
    maps: list[Map] = []
    gallery: list[list[int]] = []
    for k in looking:
        has = with_attention(comparison.models[k].path)
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


def with_attention(path: object) -> set[str]:
    """The ids of the questions whose attention was kept."""
    table = pq.read_table(path, columns=["question_id", "attention"])
    kept = table.filter(table.column("attention").is_valid())
    return set(kept.column("question_id").to_pylist())


def _ordered(
    comparison: Comparison, texts: Texts, model: int, has: set[str], right: bool
) -> Iterator[str]:
    """First a few of short documents, as the paper chose them, of different causes; then all."""
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
    first = []
    for row in short[: 20 * PAIRS]:
        cause = int(texts.causes[model, row])
        if right or cause not in causes:
            causes.add(cause)
            first.append(row)
        if len(first) == PAIRS:
            break
    yield from (str(ids[row]) for row in dict.fromkeys([*first, *rows]))
