"""The readers that ship with the package."""

from importlib.resources import files
from pathlib import Path

from cloze.errors import UserError


def shipped_models() -> list[Path]:
    """Their folders. They were trained on CNN stories and then pruned."""
    folder = Path(str(files("cloze.readers"))) / "shipped"
    found = sorted(config.parent for config in folder.glob("*/config.json"))
    if not found:
        raise UserError(
            "this installation has no readers of its own",
            fix="give the folder of one (cloze train makes it)",
        )
    return found
