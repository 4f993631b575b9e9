"""What was measured after a reader was saved: in its config.json and on its card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cloze.confidence import Confidence
from cloze.files import read_json, read_text, write_json, write_text
from cloze.readers.card import with_confidence, with_section
from cloze.readers.card_head import with_head

CONFIG, CARD = "config.json", "README.md"


def confidence_of(directory: Path) -> Confidence | None:
    """What `cloze calibrate` stored with a reader, if it was calibrated."""
    path = directory / CONFIG
    found = read_json(path).get("confidence")
    if found is None:
        return None
    return Confidence.model_validate(Confidence.check(found, where=path, fix="calibrate it again"))


def store_confidence(directory: Path, confidence: Confidence) -> None:
    write_text(directory / CARD, with_confidence(_card(directory), confidence))
    head = read_json(directory / CONFIG) | {"confidence": confidence.model_dump()}
    write_json(directory / CONFIG, head)


def store_card(directory: Path, sections: Mapping[str, str], head: Mapping[str, Any]) -> None:
    """Add sections to the card, or replace those of the same headings, and put values into its
    head, in the place of earlier ones."""
    card = _card(directory)
    for heading, text in sections.items():
        card = with_section(card, heading, text)
    write_text(directory / CARD, with_head(card, head))


def _card(directory: Path) -> str:
    return read_text(directory / CARD) if (directory / CARD).is_file() else ""
