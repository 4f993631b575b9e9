"""The Hugging Face Hub: its real client, its real cache, and a small Hub on this machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors import safe_open

import cloze
from cloze.errors import UserError
from cloze.readers.card_head import head_of, with_head
from cloze.readers.reader import Reader
from tests.readers.test_reader import reader_of

hub = pytest.importorskip("huggingface_hub", reason="the package is not installed")
ROOT = Path(__file__).parents[1]

PUSH_AND_FETCH = """
import sys
from pathlib import Path
from cloze.readers.reader import Reader
import cloze

reader = Reader.from_pretrained(sys.argv[1])
url = reader.push_to_hub("somebody/reader", licence="apache-2.0")
again = Reader.from_pretrained("somebody/reader")
assert again.settings["weights"] == reader.settings["weights"]
assert (again.directory / "model.safetensors").read_bytes() == (
    reader.directory / "model.safetensors").read_bytes()
assert "license: apache-2.0" in (again.directory / "README.md").read_text("utf-8")
commit = url.rsplit("/", 1)[1]
fixed = cloze.load(f"somebody/reader@{commit}").answerer
assert fixed.directory == again.directory and commit in str(fixed.directory)
try:
    cloze.load("somebody/else")
except cloze.UserError as problem:
    print(problem)
print(again.settings["weights"])
"""
OFFLINE = """
import cloze
print(cloze.load("somebody/reader").settings["weights"])
"""


def run(code: str, *words: str, **settings: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    quiet = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_TOKEN": "none"}
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=clean | quiet | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_published_fetched_and_found_again_without_a_network(tmp_path: Path) -> None:
    reader_of(output="candidates").save_pretrained(tmp_path / "model")
    (tmp_path / "model" / "secret.txt").write_text("not a reader's file")
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.hub_server", str(tmp_path / "port")], cwd=ROOT
    )
    try:
        while not (tmp_path / "port").is_file() or not (tmp_path / "port").read_text():
            assert server.poll() is None
        address = f"http://127.0.0.1:{(tmp_path / 'port').read_text()}"
        home = str(tmp_path / "home")
        said = run(PUSH_AND_FETCH, str(tmp_path / "model"), HF_ENDPOINT=address, HF_HOME=home)
    finally:
        server.kill()
        server.wait()
    missing, weights = said.splitlines()
    assert missing.startswith("somebody/else: there is no such folder, and the Hugging Face Hub")
    assert run(OFFLINE, HF_HOME=home, HF_HUB_OFFLINE="1").strip() == weights
    assert not list(Path(home).rglob("secret.txt"))
    assert "license: unknown" in (tmp_path / "model" / "README.md").read_text("utf-8")


def test_only_a_folder_can_be_published(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not in a folder yet"):
        reader_of().push_to_hub("somebody/reader", licence="mit")
    reader_of().save_pretrained(tmp_path / "model")
    reader = Reader.from_pretrained(tmp_path / "model")
    with pytest.raises(UserError, match="'reader' is no name on the Hub"):
        reader.push_to_hub("reader", licence="mit")


def test_a_folder_here_comes_before_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hub, "snapshot_download", None)  # asking it would fail
    reader_of().save_pretrained(tmp_path / "runs" / "mine")
    assert cloze.load("runs/mine").name == "Attentive Reader"
    with pytest.raises(UserError, match="'runs/yours' is neither a reader's folder nor a baseline"):
        cloze.load("runs/yours")


def test_a_new_model_says_that_its_tensors_are_pytorchs(tmp_path: Path) -> None:
    reader_of().save_pretrained(tmp_path / "model")
    with safe_open(tmp_path / "model" / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}
    assert Reader.from_pretrained(tmp_path / "model").name == "Attentive Reader"


def test_the_head_of_the_card(tmp_path: Path) -> None:
    reader = reader_of()
    reader.about = {"corpus": "my: news", "language": "de", "valid accuracy": 0.6312}
    reader.save_pretrained(tmp_path / "model")
    head = head_of((tmp_path / "model" / "README.md").read_text("utf-8"))
    assert (head["license"], head["language"]) == ("unknown", ["de"])
    assert head["pipeline_tag"] == "question-answering"
    (model,) = head["model-index"]
    (result,) = model["results"]
    assert result["dataset"] == {"name": "my: news valid", "type": "my: news", "split": "valid"}
    assert result["metrics"] == [{"type": "accuracy", "value": 0.6312}]
    card = hub.ModelCard.load(tmp_path / "model" / "README.md")  # as the Hub's own package reads it
    (read,) = card.data.eval_results
    assert (read.dataset_name, read.metric_type, read.metric_value) == (
        "my: news valid",
        "accuracy",
        0.6312,
    )
    assert json.loads((tmp_path / "model" / "config.json").read_text())["about"] == reader.about


def test_a_head_that_is_not_yaml_is_refused() -> None:
    with pytest.raises(UserError, match="is not YAML"):
        with_head("---\na: [\n---\n# x\n", {"license": "mit"})
    assert with_head("# bare\n", {"license": "mit"}) == "---\nlicense: mit\n---\n# bare\n"


def test_shipped_cards_name_their_licence_and_language() -> None:
    from cloze.readers.shipped_models import shipped_models

    for folder in shipped_models():
        head = head_of((folder / "README.md").read_text("utf-8"))
        assert (head["license"], head["language"]) == ("apache-2.0", ["en"]), folder
