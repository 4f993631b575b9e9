"""The model card: what a reader is, how it was trained, how to use it, where it fails."""

import json
import re
from collections.abc import Mapping
from typing import Any

from cloze.answering import VALIDATIONS
from cloze.confidence import Confidence
from cloze.readers.card_head import metrics, with_head
from cloze.readers.config import ReaderConfig
from cloze.readers.encoder import Encoder
from cloze.tables import Table, as_markdown
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
    text = render(
        "readers",
        "card.md",
        config=config,
        known=vocabulary.described,
        markers=vocabulary.pool,
        softmax=_SOFTMAX[config.output],
        corpus=about.get("corpus"),
        weights=dict(weights),
        sections=dict(sections),
        training=_table({k: v for k, v in about.items() if k != VALIDATIONS}),
        settings=_table(config.model_dump(mode="json")),
    )
    head: dict[str, Any] = {"license": "unknown"}  # whoever publishes it says which
    if "language" in about:
        head["language"] = [about["language"]]
    if "corpus" in about and "valid accuracy" in about:
        found = {(about["corpus"], "valid"): about["valid accuracy"]}
        head |= metrics(config.name, found)
    return with_head(text, head)


def with_section(card: str, heading: str, text: str) -> str:
    """The card with a section of that heading: in the place of the old one, or before the config.

    >>> print(with_section("# Reader\\n\\n## Config\\nsmall\\n", "Results", "good"))
    # Reader
    <BLANKLINE>
    ## Results
    good
    <BLANKLINE>
    ## Config
    small
    <BLANKLINE>
    """
    parts = re.split(r"(?m)^(?=## )", card)
    own = f"## {heading}\n{text.strip()}\n\n"
    known = [part.partition("\n")[0] for part in parts]
    if f"## {heading}" in known:
        parts[known.index(f"## {heading}")] = own
    else:
        before = known.index("## Config") if "## Config" in known else len(parts)
        parts.insert(before, own)
    return "".join(parts).rstrip() + "\n"


def with_confidence(card: str, confidence: Confidence) -> str:
    """The card with what was measured, and without the remark that nothing was."""
    rows = [
        [f"{level.least:.3f}", f"{level.answers:,}", f"{level.share:.1%}"]
        for level in confidence.levels
    ]
    text = (
        f"Measured on {confidence.questions:,} questions of {confidence.corpus} "
        f"{confidence.split}: temperature {confidence.temperature:.3f}, expected calibration error "
        f"{confidence.error:.3f} (15 bins of equal width).\n\n"
        + as_markdown(Table(["probability from", "answers", "of these right"], rows, align="r"))
    )
    card = re.sub(r"(?m)^- Its scores are [^\n]* calibrated\.\n", "", card)
    return with_section(card, "Confidence", text)


def _table(values: Mapping[str, Any]) -> Table:
    rows = [
        [key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        for key, value in values.items()
    ]
    return Table(["", ""], rows, align="l")
