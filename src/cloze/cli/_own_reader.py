"""The reader whose answers a file of predictions holds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloze.evaluation.metrics import Answers
    from cloze.readers.reader import Reader


def own_reader(folder: Path, answers: "Sequence[Answers]") -> "Reader":
    """The reader in a folder, if it is the one that gave the answers."""
    from cloze.errors import UserError
    from cloze.finding import find
    from cloze.readers.reader import Reader

    reader = find(folder, device="cpu")
    if not isinstance(reader, Reader):
        raise UserError(f"is a {reader.kind}, not a reader", where=folder)
    weights = reader.settings["weights"]
    for given in answers:
        if given.about.settings.get("weights") != weights:
            raise UserError(
                "holds the answers of another reader", where=given.path, fix="cloze evaluate it"
            )
    return reader
