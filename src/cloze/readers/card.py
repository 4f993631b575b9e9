"""The model card: what a reader is, how it was trained, how to use it, where it fails."""

import json
from collections.abc import Mapping
from typing import Any

from cloze.readers.config import ReaderConfig
from cloze.readers.encoder import Encoder
from cloze.tables import Table
from cloze.templating import render

_SOFTMAX = {
    "vocabulary": "every word and marker of the vocabulary",
    "candidates": "the markers in the document",
}


def card(
    config: ReaderConfig,
    vocabulary: Encoder,
    about: Mapping[str, Any],
    *,
    weights: Mapping[str, Any],
    sections: Mapping[str, str],
) -> str:
    return render(
        "readers",
        "card.md",
        config=config,
        known=vocabulary.described,
        markers=vocabulary.pool,
        softmax=_SOFTMAX[config.output],
        corpus=about.get("corpus"),
        weights=dict(weights),
        sections=dict(sections),
        training=_table(about),
        settings=_table(config.model_dump(mode="json")),
    )


def _table(values: Mapping[str, Any]) -> Table:
    rows = [
        [key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        for key, value in values.items()
    ]
    return Table(["", ""], rows, align="l")
