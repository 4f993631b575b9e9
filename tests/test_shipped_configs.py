"""A config is found by its path, or else among the shipped ones."""

from pathlib import Path

import pytest

from cloze.errors import UserError
from cloze.shipped_configs import find_config, listed


@pytest.mark.parametrize("name", ["newsroom/attentive", "configs/newsroom/attentive.yaml"])
def test_a_shipped_config_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config(name).read_text().startswith("# The Attentive Reader")


def test_a_file_of_ones_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = Path("newsroom/attentive.yaml")
    own.parent.mkdir()
    own.write_text("run: {steps: 1}")
    assert find_config(own) == own


def test_what_is_not_there_is_one_line() -> None:
    with pytest.raises(UserError, match="no such config file"):
        find_config("newsroom/nothing")


def test_every_config_says_what_it_is() -> None:
    found = dict(listed())
    assert {"newsroom/attentive", "cnn/encoder", "search/tpe"} <= found.keys()
    assert all(found.values())
