"""What the page holds of a comparison, for its browser of questions and its heat maps.

Columns instead of rows, numbers as typed arrays, texts compressed: four thousand questions with
ten models take about two megabytes, and nothing is unpacked before somebody looks at it.
"""

import json
from typing import Any

import numpy as np

from cloze.document import Document
from cloze.evaluation.causes import CAUSES
from cloze.evaluation.metrics import Answers, Comparison
from cloze.reporting.heatmap_choice import Map
from cloze.reporting.levels import quantise
from cloze.reporting.looks import looks
from cloze.reporting.packing import array_text, compress, pack_levels, pack_text
from cloze.reporting.texts import Texts

TOP = 3  # candidates of each model in the page
TEXTS_A_CHUNK = 8


def page_data(
    comparison: Comparison, texts: Texts, maps: list[Map], most_texts: int
) -> dict[str, Any]:
    """Ready for JSON. Texts beyond `most_texts` documents are dropped, first those without maps."""
    first = comparison.models[0]
    rows = [k for k, question in enumerate(first.question_ids) if question in texts.questions]
    order = _document_order(first, texts, maps, rows)
    place = {document: k for k, document in enumerate(order)}
    number = {str(first.question_ids[row]): k for k, row in enumerate(rows)}
    asked = [texts.questions[str(first.question_ids[row])] for row in rows]
    kept = [texts.documents[document] for document in order]
    said = [_said(model, rows, texts.causes[k]) for k, model in enumerate(comparison.models)]
    needed = _needed_markers(comparison, rows, said, place)
    return {
        "title": comparison.title,
        "models": [
            {
                "name": model.name,
                "kind": model.about.kind,
                "colour": look.colour,
                "scores": model.confidence_is,
            }
            for model, look in zip(comparison.models, looks(comparison.models), strict=True)
        ],
        "bestModel": [m.name for m in comparison.models].index(comparison.best.name),
        "causes": [cause.label for cause in CAUSES],
        "documents": {
            "id": order,
            "tokens": [len(document.context) for document in kept],
            "url": [document.url or "" for document in kept],
            "names": [_names(document, needed[k]) for k, document in enumerate(kept)],
        },
        "texts": _chunks(kept[:most_texts]),
        "textsAChunk": TEXTS_A_CHUNK,
        "questions": {
            "id": list(number),
            "document": [place[question.document_id] for question in asked],
            "query": [pack_text(question.query) for question in asked],
            "answer": [question.answer for question in asked],
            "entities": first.entities[rows].tolist(),
            "rank": first.frequency_rank[rows].tolist(),
        },
        "said": [{name: array_text(values) for name, values in one.items()} for one in said],
        "top": TOP,
        "maps": list(_maps(comparison, maps, number)),
    }


def _document_order(first: Answers, texts: Texts, maps: list[Map], rows: list[int]) -> list[str]:
    """Documents with heat maps come first, so that their texts are certain to be in the page."""
    with_maps = (texts.questions[question].document_id for _, question in maps)
    others = (str(first.document_ids[row]) for row in rows)
    return list(dict.fromkeys([*with_maps, *others]))


def _said(model: Answers, rows: list[int], causes: np.ndarray) -> dict[str, np.ndarray]:
    markers, scores = (best[model.rows[rows]] for best in model.source.top(TOP))
    return {
        "markers": markers.astype(np.int32),
        "scores": scores,
        "right": model.correct[rows].astype(np.uint8),
        "place": np.minimum(model.place[rows], 255).astype(np.uint8),
        "cause": causes[rows],
    }


def _needed_markers(
    comparison: Comparison,
    rows: list[int],
    said: list[dict[str, np.ndarray]],
    place: dict[str, int],
) -> list[set[int]]:
    """For each document, the entities whose names the page may have to print."""
    first = comparison.models[0]
    needed: list[set[int]] = [set() for _ in place]
    for k, row in enumerate(rows):
        own = needed[place[str(first.document_ids[row])]]
        own.add(int(first.answer[row]))
        for one in said:
            own.update(one["markers"][k].tolist())
    return needed


def _names(document: Document, needed: set[int]) -> list[Any]:
    pairs = ((e.marker, e.name) for e in document.entities if e.marker in needed)
    return [part for pair in pairs for part in pair]


def _chunks(documents: list[Document]) -> list[str]:
    packed = [pack_text(document.context) for document in documents]
    groups = (packed[k : k + TEXTS_A_CHUNK] for k in range(0, len(packed), TEXTS_A_CHUNK))
    return [compress(json.dumps(group, ensure_ascii=False).encode()) for group in groups]


def _maps(comparison: Comparison, maps: list[Map], number: dict[str, int]) -> list[dict[str, Any]]:
    found: dict[Map, dict[str, Any]] = {}
    for k, model in enumerate(comparison.models):
        wanted = {question for other, question in maps if other == k}
        if wanted:
            for question, weights in model.source.attention(wanted):
                head = {"model": k, "question": number[question]}
                found[k, question] = head | pack_levels(quantise(weights))
    return [found[one] for one in maps]
