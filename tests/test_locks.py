"""The locks name every package that is installed, by the hashes of its files and by no address."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(.*\n(?:    .*\n)*)", re.M)


def entries(name: str) -> dict[str, str]:
    """What follows each package's version in a lock."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {found[1].lower(): found[3] for found in ENTRY.finditer(text)}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_package_but_pytorch_has_hashes(lock: Path) -> None:
    found = entries(lock.name)
    assert found
    without = [name for name, rest in found.items() if "--hash=sha256:" not in rest]
    assert without == (["torch"] if lock.name == "requirements-torch.lock" else [])
    text = lock.read_text(encoding="utf-8")
    assert len(found) <= len(re.findall("^[^ #\n]", text, re.M))
    assert not re.search(r"https?:|file:|--(extra-)?index|--find-links", text)


def test_everything_declared_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *extras["dev"]]
    for extra in ("nlp", "encoder", "endpoint", "fetch", "search", "serve", "tensorboard"):
        listed += extras[extra]
    declared = {re.split(r"[<>=\[; ]", line)[0].lower().replace("_", "-") for line in listed}
    locked = entries("requirements.lock").keys() | entries("requirements-torch.lock").keys()
    assert declared <= locked


def test_what_pytorch_needs_for_cuda_is_in_a_lock_of_its_own() -> None:
    cuda = entries("requirements-cuda.lock")
    assert {"triton", "nvidia-cublas"} <= cuda.keys()
    assert not cuda.keys() & entries("requirements.lock").keys()
    assert all("sys_platform == 'linux'" in rest for rest in cuda.values())


def test_the_licences_have_the_versions_of_the_locks() -> None:
    table = (ROOT / "docs/licences.md").read_text(encoding="utf-8").lower()
    rows = set(re.findall(r"^\| ([a-z0-9._-]+) \| (\S+) \|", table, re.M)) - {
        ("package", "version")
    }
    assert len(rows) > 80
    text = "".join(lock.read_text(encoding="utf-8").lower() for lock in LOCKS)
    locked = {(found[1].replace("_", "-"), found[2]) for found in ENTRY.finditer(text)}
    named = {(re.sub("[._]", "-", name), version.split("+")[0]) for name, version in rows}
    assert named <= {(re.sub("[._]", "-", name), version) for name, version in locked}
