"""The weights that ship: small enough to clone and to install, and each with its history."""

import re
from importlib.resources import files
from pathlib import Path

from cloze.readers.saving import NOTICE
from cloze.readers.shipped_models import shipped_models

MOST = 45e6  # bytes, of all weights and what is stored beside them
MOST_OF_A_READER = 30e6


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def folders() -> list[Path]:
    """Every folder of the package with weights in it."""
    package = Path(str(files("cloze")))
    return sorted({path.parent for path in package.rglob("*.safetensors")})


def test_the_weights_together() -> None:
    sizes = {folder.name: size_of(folder) for folder in folders()}
    assert set(sizes) >= {"small", "attentive", "impatient", "model"}
    assert sum(sizes.values()) <= MOST, sizes


def test_each_reader() -> None:
    for folder in shipped_models():
        assert size_of(folder) <= MOST_OF_A_READER, folder.name


def test_weights_of_somebody_else_have_a_notice() -> None:
    """An encoder starts from somebody's weights: whose, under which licence, and exactly which."""
    for folder in shipped_models():
        if (folder / "pieces.json").is_file():
            notice = (folder / NOTICE).read_text(encoding="utf-8")
            assert re.search(r"\b[0-9a-f]{64}\b", notice), "no hash"
            for word in ("origin", "licence", "trained on"):
                assert word in notice.lower(), word
