"""An answerer is found by one word: a baseline, a reader's folder, or any class."""

from pathlib import Path

import pytest

from cloze.baselines import BASELINES
from cloze.errors import UserError
from cloze.finding import baselines_called, find, find_all
from cloze.readers.reader import Reader
from tests.readers.cases import reader_config
from tests.readers.points import VOCABULARY


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """What training leaves behind: a run with the model in it."""
    config = reader_config(kind="attentive", hidden_size=4)
    Reader(config, VOCABULARY).save_pretrained(tmp_path / "runs" / "small" / "model")
    return tmp_path / "runs" / "small"


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_by_name_and_by_what_its_settings_say(name: str) -> None:
    found = find(name)
    assert (found.kind, found.settings["baseline"]) == ("baseline", name)
    assert find(name.replace("-", "_").title()).name == found.name


def test_a_reader_by_its_folder_or_that_of_its_run(run_folder: Path) -> None:
    found = [
        find(place, device="cpu", batch_size=7) for place in (run_folder, run_folder / "model")
    ]
    assert [reader.name for reader in found] == ["Attentive Reader"] * 2
    assert found[0].settings == found[1].settings
    assert found[0].settings["batch_size"] == 7


def test_a_reader_that_ships_by_its_name() -> None:
    assert find("impatient").name == "Impatient Reader"


def test_a_class_of_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_answerers.py").write_text(
        "class Silent:\n"
        "    name, kind, settings = 'Silent', 'oracle', {'volume': 0}\n"
        "    def answer(self, points, *, seed=0, attention=False):\n"
        "        return iter(())\n"
        "class Half:\n"
        "    name = 'Half'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    assert find("their_answerers:Silent").settings == {"volume": 0}
    for word, complaint in {
        "their_answerers:Half": "their_answerers:Half: has no kind and no settings and no answer",
        "their_answerers:None_": "the module has no 'None_'",
        "nobodys.module:Class": "there is no module 'nobodys'",
    }.items():
        with pytest.raises(UserError, match=complaint):
            find(word)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="'guess' is neither a reader's folder nor a baseline; give"
    ):
        find("guess")
    with pytest.raises(UserError, match="this folder holds no reader; train one"):
        find(tmp_path)
    with pytest.raises(UserError, match="there is no baseline 'guess'; choose from maximum-freq"):
        baselines_called(["word-distance", "guess"])


def test_several_are_told_apart(run_folder: Path) -> None:
    words = ["word-distance", run_folder, run_folder / "model", run_folder]
    assert list(find_all(words[:2])) == ["word-distance", "small"]
    assert len(find_all(words)) == 3
    assert baselines_called(["all"]) == list(BASELINES)
    assert baselines_called(["word-distance"]) == ["word-distance"]
