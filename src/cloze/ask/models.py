"""The readers that are asked: model directories under short names, or the one that we ship."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from cloze.errors import UserError
from cloze.readers.reader import Reader


def default_model() -> Path:
    """The small reader in the package, trained on the newsroom."""
    directory = Path(str(files("cloze.ask") / "model"))
    if not (directory / "config.json").is_file():
        raise UserError(
            "this installation carries no reader of its own",
            fix="give the directory of one (cloze train makes it)",
        )
    return directory


def load_models(directories: Sequence[Path]) -> dict[str, Reader]:
    """Load every directory; its last part is the reader's name, numbered where two are alike."""
    readers: dict[str, Reader] = {}
    for directory in directories or [default_model()]:
        reader = Reader.from_pretrained(directory)
        wanted = "newsroom" if not directories else Path(directory).resolve().name or "model"
        name, number = wanted, 1
        while name in readers:
            number += 1
            name = f"{wanted}-{number}"
        readers[name] = reader
    return readers
