"""The readers that ship with the package."""

from importlib.resources import files
from pathlib import Path

from cloze.errors import UserError

DEFAULT = "small"  # the Encoder Reader; the others are the paper's, for comparison


def shipped_models() -> list[Path]:
    """Their folders, the default first. They were trained on CNN stories and then pruned."""
    folder = Path(str(files("cloze.readers"))) / "shipped"
    found = [config.parent for config in folder.glob("*/config.json")]
    if not found:
        raise UserError(
            "this installation has no readers of its own",
            fix="give the folder of one (cloze train makes it)",
        )
    return sorted(found, key=lambda model: (model.name != DEFAULT, model.name))


def shipped_model(name: str) -> Path | None:
    """The folder of the reader that ships under this name; None if there is none."""
    return next((folder for folder in shipped_models() if folder.name == name), None)


def model_at(place: Path) -> Path:
    """A model's folder, or that of the shipped one of this name."""
    return place if place.is_dir() else shipped_model(str(place)) or place
