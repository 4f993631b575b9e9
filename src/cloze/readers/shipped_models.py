"""The readers that are asked: model directories under short names, or those that we ship."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from cloze.errors import UserError
from cloze.readers.reader import Reader


def shipped_models() -> list[Path]:
    """The readers in the package, trained on CNN's stories and pruned."""
    folder = Path(str(files("cloze.readers"))) / "shipped"
    found = sorted(config.parent for config in folder.glob("*/config.json"))
    if not found:
        raise UserError(
            "this installation carries no reader of its own",
            fix="give the directory of one (cloze train makes it)",
        )
    return found


def load_models(directories: Sequence[Path]) -> dict[str, Reader]:
    """Load every directory; its last part is the reader's name, numbered where two are alike."""
    readers: dict[str, Reader] = {}
    for directory in directories:
        reader = Reader.from_pretrained(directory)
        wanted = Path(directory).resolve().name or "model"
        name, number = wanted, 1
        while name in readers:
            number += 1
            name = f"{wanted}-{number}"
        readers[name] = reader
    return readers
