"""One number of weights, wherever it is told."""

import json
from pathlib import Path

import pytest

from cloze.readers.counting import count_weights
from cloze.readers.reader import Reader
from cloze.readers.tensor_files import load_tensors
from cloze.readers.vocabulary import Vocabulary
from tests.readers.cases import reader_config


@pytest.mark.parametrize("output", ["vocabulary", "candidates"])
def test_the_same_everywhere(output: str, tmp_path: Path) -> None:
    vocabulary = Vocabulary({f"word{k}": 1 for k in range(50)}, pool=7)
    reader = Reader(reader_config(hidden_size=4, output=output), vocabulary)
    reader.save_pretrained(tmp_path / "model")
    stored = sum(w.numel() for w in load_tensors(tmp_path / "model" / "model.safetensors").values())
    head = json.loads((tmp_path / "model" / "config.json").read_text())
    card = (tmp_path / "model" / "README.md").read_text()
    again = Reader.from_pretrained(tmp_path / "model")
    assert head["weights"]["count"] == stored
    assert f"{stored:,} weights" in card
    assert again.settings["parameters"] == reader.settings["parameters"] == stored
    assert count_weights(again.network, again.config, vocabulary.first_word) == stored
