"""A reader from outside the package is trained, saved, loaded, evaluated and served like ours."""

import importlib
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from cloze.ask.guard import Limits
from cloze.ask.host import LOOPBACK
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.files import read_json
from cloze.readers import registry
from cloze.readers.reader import Reader
from tests.ask.conftest import ARTICLE, QUESTION, capitals, post, served
from tests.training.corpora import write_corpus

MODULE = Path(__file__).parent / "outside" / "bag_reader.py"
CONFIG = """
reader: {kind: bag, size: 4}
batches: {size: 8}
run: {steps: 4, validate_every: 2, checkpoint_every: 2, device: cpu}
"""


def cloze(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cloze", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the module, a corpus and a run, made by the command."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copy(MODULE, folder)
    (folder / "bag.yaml").write_text(CONFIG)
    write_corpus(folder / "corpus", documents=10)
    words = ["--import", "bag_reader", "train", "bag.yaml", "corpus=corpus", "out=run"]
    done = cloze(folder, *words)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module in this process, for one test."""
    registry.kinds()
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))
    monkeypatch.syspath_prepend(str(MODULE.parent))
    monkeypatch.delitem(sys.modules, "bag_reader", raising=False)
    importlib.import_module("bag_reader")


def test_it_is_evaluated_by_the_command(trained: Path) -> None:
    done = cloze(trained, "--import", "bag_reader", "evaluate", "run/model", "corpus")
    assert done.returncode == 0, done.stderr
    assert "Bag Reader" in done.stdout


def test_asynchronous_workers_have_it_too(trained: Path) -> None:
    words = ["train", "bag.yaml", "encoded=run/encoded", "out=several", "run.workers=1"]
    done = cloze(trained, "--import", "bag_reader", *words)
    assert done.returncode == 0, done.stderr
    one, other = (trained / run / "model/model.safetensors" for run in ("run", "several"))
    assert one.read_bytes() == other.read_bytes()


def test_a_model_remembers_its_kind_only(trained: Path, tmp_path: Path) -> None:
    """Without its module it is refused; a module in its folder is not looked at."""
    model = tmp_path / "model"
    shutil.copytree(trained / "run" / "model", model)
    shutil.copy(MODULE, model)
    assert read_json(model / "config.json")["reader"]["kind"] == "bag"
    assert "bag_reader" not in (model / "config.json").read_text()
    with pytest.raises(UserError) as told:
        Reader.from_pretrained(model)
    assert "there is no kind of reader called 'bag'" in str(told.value)
    assert "cloze --import MODULE" in str(told.value)
    assert "\n" not in str(told.value)
    done = cloze(tmp_path, "evaluate", "model", str(trained / "corpus"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = cloze(tmp_path, "--import", "no_such_module", "train", "bag.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot import no_such_module")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("imported")
def test_it_is_loaded_and_answers(trained: Path) -> None:
    reader = Reader.from_pretrained(trained / "run" / "model")
    assert (reader.name, reader.config.size) == ("Bag Reader", 4)
    for document, questions in Corpus.open(trained / "corpus").read("valid"):
        (rankings,) = reader.answer([(document, questions)])
        assert all(set(r.candidates) == set(document.candidates()) for r in rankings)
    card = (trained / "run" / "model" / "README.md").read_text()
    assert "The Bag Reader. Its softmax" in card


@pytest.mark.usefixtures("imported")
def test_it_is_served(trained: Path) -> None:
    reader = Reader.from_pretrained(trained / "run" / "model")
    app = create_app(
        Service({"bag": reader}, capitals, batch=4), [], limits=Limits(), hosts=LOOPBACK
    )
    with served(app) as address:
        body = {"article": ARTICLE, "question": QUESTION}
        answered = post(f"{address}/api/read", json=body)
    assert answered.status_code == 200, answered.text
    (said,) = answered.json()["answers"]
    assert (said["model"], said["attention"]) == ("bag", None)
    assert sum(c["probability"] for c in said["candidates"]) == pytest.approx(1, abs=1e-5)


def test_an_installed_package_needs_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.kinds()
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))
    monkeypatch.syspath_prepend(str(MODULE.parent))
    monkeypatch.delitem(sys.modules, "bag_reader", raising=False)
    entry = EntryPoint("bag", "bag_reader", registry.GROUP)

    def entry_points(group: str, name: str = "bag") -> list[EntryPoint]:
        return [entry] if (group, name) == (registry.GROUP, "bag") else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert registry.kind_of("bag").config.name == "Bag Reader"
    assert "bag" in registry.kinds()


@pytest.mark.usefixtures("imported")
def test_two_modules_may_not_share_a_kind() -> None:
    bag = registry.kind_of("bag")
    stranger = type("Stranger", (bag.network,), {"__module__": "elsewhere"})
    with pytest.raises(UserError, match="elsewhere: the kind of reader 'bag' is registered twice"):
        registry.register(bag.config)(stranger)
