"""`import cloze`: quick, and everything that the documentation shows works as it is shown."""

import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cloze
from cloze.errors import UserError
from cloze.names.detection import pipeline_name
from cloze.readers.shipped_models import shipped_models
from tests.ask.conftest import ARTICLE, QUESTION, capitals
from tests.first_name import FirstName

ROOT = Path(__file__).parents[1]

try:
    pipeline_name(None)
    needs_pipeline = pytest.mark.skipif(False, reason="")
except UserError as absent:
    needs_pipeline = pytest.mark.skip(reason=str(absent))


def examples(page: str) -> list[str]:
    """The Python in a page, block by block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_importing_it_loads_nothing_heavy() -> None:
    script = (
        "import sys, cloze; cloze.__version__, dir(cloze); "
        "print({'torch', 'spacy', 'numpy', 'pyarrow', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


def test_every_name_is_there_and_no_room_bears_it() -> None:
    """Importing a room of the same name would replace the function by the room."""
    assert [name for name in cloze.__all__ if getattr(cloze, name) is None] == []
    rooms = {module.name for module in pkgutil.iter_modules(cloze.__path__)}
    assert rooms & set(cloze.__all__) == set()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cloze.nonsense  # noqa: B018


@needs_pipeline
def test_the_readmes_example(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = examples("README.md")
    assert len([line for line in example.splitlines() if line.strip()]) <= 5
    exec(compile(example, "README.md", "exec"), {})
    assert re.fullmatch(r"Solveig 0\.9\d+\n", capsys.readouterr().out)


@needs_pipeline
def test_the_guides_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples("docs/python.md"):
        exec(compile(example, "docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "Solveig (99%)" in said
    assert "Attentive Reader: " in said
    assert "<Attentive Reader>" in said
    assert "the question has no gap" in said
    assert Path("report", "index.html").is_file()


def test_what_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = shipped_models()[0]
    assert cloze.load(shipped.name).name == cloze.load(shipped).name
    run = tmp_path / "run"
    run.mkdir()
    (run / "model").symlink_to(shipped, target_is_directory=True)
    assert cloze.load(run).name == cloze.load(shipped).name
    assert cloze.load("word-distance").kind == "baseline"
    assert cloze.load("tests.first_name:FirstName").name == "First name"
    monkeypatch.chdir(tmp_path)
    for word, message in {
        "somebody/reader": "somebody/reader: there is no such folder, and the Hugging Face Hub",
        "nonsense": "'nonsense' is neither",
    }.items():
        with pytest.raises(UserError, match=message):
            cloze.load(word)


def test_asking_gives_names_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloze.ask.asking.tagger", lambda *_: capitals)
    model = cloze.load("tests.first_name:FirstName")
    answer = model.ask(ARTICLE, QUESTION)
    assert (answer.name, answer.probability, str(answer)) == ("Harbour Line", None, "Harbour Line")
    assert [candidate.score for candidate in answer.ranking[:2]] == [0, -1]
    assert answer.attention is None
    assert not answer.outside
    assert model.ask(cloze.Story("s", ARTICLE, ()), QUESTION).ranking == answer.ranking
    with pytest.raises(UserError, match="no names were found in the article"):
        model.ask("all of it in small letters .", "X came")


def test_two_models_of_one_name_keep_their_own_predictions(
    make_corpus: Callable[..., Path], tmp_path: Path
) -> None:
    models = [FirstName(), FirstName()]
    found = cloze.evaluate(models, make_corpus(), out=tmp_path / "predictions")
    assert [model.name for model in found.models] == ["First name (1)", "First name (2)"]
    assert found.models[0].accuracy == found.models[1].accuracy
