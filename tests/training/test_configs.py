"""Every shipped config is valid, and those of the paper have the paper's values."""

import json
from operator import attrgetter
from pathlib import Path

import pytest

from cloze.config import load
from cloze.training.search import Search
from cloze.training.settings import TrainSettings

CONFIGS = Path(__file__).parents[2] / "configs"
TRAINING = sorted(p for p in CONFIGS.rglob("*.yaml") if p.parent.name != "search")
# Kind: hidden size, learning rate, batch size, dropout. The appendix's table and the footnote.
PAPER = {
    "cnn/deep_lstm": (256, 1e-4, 32, 0.1),
    "cnn/uniform": (256, 5e-5, 32, 0.2),
    "cnn/attentive": (256, 5e-5, 32, 0.2),
    "cnn/impatient": (256, 5e-5, 32, 0.3),
    "dailymail/deep_lstm": (256, 1e-4, 32, 0.1),
    "dailymail/uniform": (256, 5e-5, 32, 0.2),
    "dailymail/attentive": (256, 2.5e-5, 32, 0.1),
    "dailymail/impatient": (256, 5e-5, 32, 0.1),
}


def named(path: Path) -> str:
    return str(path.relative_to(CONFIGS).with_suffix(""))


@pytest.mark.parametrize("path", TRAINING, ids=named)
def test_every_config_is_valid(path: Path) -> None:
    settings = load(TrainSettings, path)
    assert settings.reader.kind == path.stem.replace("_", "-")
    head = path.read_text().splitlines()
    assert any(f"cloze train configs/{named(path)}.yaml" in line for line in head[:8])


@pytest.mark.parametrize("path", sorted((CONFIGS / "search").glob("*.yaml")), ids=named)
def test_every_search_is_valid(path: Path, tmp_path: Path) -> None:
    search = Search(path, tmp_path / "out", [])
    for key, tried in search.settings.space.items():
        for value in tried if isinstance(tried, list) else (tried.low, tried.high):
            settings = load(TrainSettings, search.base, [f"{key}={json.dumps(value)}"])
            assert attrgetter(key)(settings) == value


def test_the_footnotes_grids_are_whole(tmp_path: Path) -> None:
    sizes = {
        name: len(list(Search(CONFIGS / f"search/{name}.yaml", tmp_path / name, [])._grid()))
        for name in ("attention", "deep_lstm")
    }
    assert sizes == {"attention": 3 * 4 * 3 * 4, "deep_lstm": 3 * 3 * 4 * 2 * 3 * 2}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_values(name: str) -> None:
    settings = load(TrainSettings, CONFIGS / f"{name}.yaml")
    reader, optimiser = settings.reader, settings.optimiser
    found = reader.hidden_size, optimiser.learning_rate, settings.batches.size, reader.dropout
    assert found == PAPER[name]
    assert (optimiser.name, optimiser.decay, optimiser.momentum) == ("rmsprop", 0.95, 0.9)
    assert reader.output == "vocabulary"
    if reader.kind == "deep-lstm":
        assert (reader.layers, reader.feed) == (2, "qca")
