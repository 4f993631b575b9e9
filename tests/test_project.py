"""What the project's files say about each other."""

import re
import tomllib
from pathlib import Path

import yaml

from cloze.version import __version__

ROOT = Path(__file__).parents[1]


def test_the_citation_and_the_changelog_know_the_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == __version__
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_public_tests_run_on_every_python_that_is_promised() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    job = workflow["jobs"]["test"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    python = "Programming Language :: Python :: 3."
    promised = [c.removeprefix(python[:-2]) for c in project["classifiers"] if python in c]
    assert job["strategy"]["matrix"]["python"] == promised
    assert any("make test" in step.get("run", "") for step in job["steps"])


def test_the_places_that_the_architecture_names_are_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page.split("## Where each part")[1].split("## Decisions")[0]
    places = re.findall(r"`([\w/]+(?:/|\.py))`", table)
    assert len(places) > 15
    for place in places:
        assert (ROOT / "src" / "cloze" / place).exists() or (ROOT / place).exists(), place


def test_the_readme_names_the_pytorch_that_make_installs() -> None:
    (locked,) = re.findall(r"^torch==(.+)$", (ROOT / "requirements-torch.lock").read_text(), re.M)
    assert f"pip install torch=={locked} " in (ROOT / "README.md").read_text("utf-8")


def test_no_test_turns_the_clock_of_other_threads() -> None:
    """A server in a thread never ends if the clock it sleeps by is replaced even for a moment."""
    clocks = re.compile(
        r"setattr\((?:\w+\.)*(?:time|asyncio),|setattr\(\"[\w.]*\b(?:time|asyncio)\."
    )
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert len(tests) > 100
    assert [path.name for path in tests if clocks.search(path.read_text("utf-8"))] == []
