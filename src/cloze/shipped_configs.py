"""The configs that come with the package; a config is found by its path, or else among these."""

from pathlib import Path

from cloze.errors import UserError

FOLDER = "configs"


def find_config(path: Path | str) -> Path:
    """The file itself, or the shipped config of that name: `configs/newsroom/attentive.yaml`, or
    `newsroom/attentive` for short."""
    path = Path(path)
    if path.exists():
        return path
    inside = Path(*path.parts[1:]) if path.parts[:1] == (FOLDER,) else path
    shipped = _root() / inside
    for place in (shipped, shipped.with_name(f"{shipped.name}.yaml")):
        if not path.is_absolute() and place.is_file():
            return place
    raise UserError(
        "no such config file", where=path, fix="cloze train --list shows the shipped ones"
    )


def listed() -> list[tuple[str, str]]:
    """Every shipped config by its short name, with the first sentence of its comment."""
    return [
        (file.relative_to(_root()).with_suffix("").as_posix(), _summary(file))
        for file in sorted(_root().rglob("*.yaml"))
    ]


def _summary(file: Path) -> str:
    comment = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            break
        comment.append(line.removeprefix("# "))
    return " ".join(comment).partition(". ")[0].rstrip(".")


def _root() -> Path:
    """Beside this file when installed, at the top of a checkout."""
    here = Path(__file__).parent
    places = (here / FOLDER, here.parents[1] / FOLDER)
    return next((place for place in places if place.is_dir()), places[0])
