"""Every documented command is parsed, and what can be run here is run.

`python -m pytest tests/commands -s -k listed` prints which got which.
"""

import glob
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.commands.resolved import resolve
from tests.commands.taken import Taken, commands
from tests.commands.world import SMALL, make_world, run

# What is added to a command so that it takes a moment; the last of two options counts.
LESS: dict[str, list[str]] = {
    "newsroom": ["--stories", "3", "--held-out", "2"],
    "evaluate": ["--limit", "3"],
    "train": list(SMALL),
    "build": ["--workers", "1"],
    "annotate": ["--workers", "1"],
    "audit": ["--sample", "2"],
}
AS_IT_IS = ("stats", "export", "import", "encode", "heatmap", "report", "prune", "ask")
# Run elsewhere, or not to be run in a test.
NOT_HERE = {
    "--endpoint": "needs a language model behind a server",
    "--resume": "continues a run",
    "--interactive": "waits for somebody",
    "--pipeline": "needs another pipeline",
    "--gold": "reads dozens of texts; tests/builder runs it",
    "--after": "needs articles with dates",
    "--question ID": "needs a question's id",
    "--shard": "is one of many; tests/builder runs them",
    "--finish": "comes after the shards; tests/builder runs it",
    "--on ": "needs a cluster",
    "parts/": "needs a large file in parts",
}
QUICK = ("cloze train --list", "cloze train --keys")
RUN = ("as it is", "with less")
MOST = {"ask": 2, "report": 1}  # of one verb, where it is not 4
SHIPPED = ("small", "attentive", "impatient", "word-distance")

ALL = commands()


def verb_of(taken: Taken) -> str:
    return taken.words[1] if taken.words[0] == "cloze" else ""


def output(verb: str, values: dict[str, Any]) -> Path | None:
    """Where it writes: an option or argument, the last of several paths, or a key of a config."""
    if verb == "build" and values.get("paths"):
        return Path(values["paths"][-1])
    keys = [word for word in values.get("overrides") or [] if word.startswith("out=")]
    return Path(keys[0].removeprefix("out=")) if keys else values.get("out")


def needed(verb: str, values: dict[str, Any]) -> list[str]:
    """What it reads, as the shell and the command name it."""
    found = []
    for name, value in values.items():
        if name in ("out", "replies") or value is None:  # the replies are written too
            continue
        several = list(value) if isinstance(value, list | tuple) else [value]
        for one in several[:-1] if name == "paths" else several:
            key, equals, place = str(one).rpartition("=")
            if isinstance(one, Path) or name in ("paths", "places", "models", "model"):
                found.append(place if equals else str(one))
            elif equals and key in ("corpus", "encoded", "start_from", "vectors"):
                found.append(place)
    return [place for place in found if place not in SHIPPED]


def how(taken: Taken) -> str:
    """ "as it is", "with less", or "parsed" and why."""
    verb = verb_of(taken)
    if taken.mentioned:
        return "parsed: mentioned in a sentence"
    if taken.text in QUICK:
        return "as it is"
    if verb not in LESS and verb not in AS_IT_IS:
        return "parsed: not a verb that a test runs" if verb else "resolved: not ours to run"
    for words, why in NOT_HERE.items():
        if words in taken.text:
            return f"parsed: {why}"
    missing = [place for place in needed(verb, resolve(taken)) if not glob.glob(place)]
    if missing:
        return f"parsed: there is no {missing[0]} here"
    if verb == "train" and "newsroom/" not in taken.text:
        return "parsed: a config for a GPU"
    return "with less" if verb in LESS else "as it is"


def kinds() -> dict[Taken, str]:
    """How each is tried: of every verb at most a few are run, those of README and pages first."""
    found: dict[Taken, str] = {}
    ran: Counter[str] = Counter()
    for taken in ALL:
        kind, verb = how(taken), verb_of(taken)
        if kind in RUN:
            ran[verb] += 1
            if ran[verb] > MOST.get(verb, 4):
                kind = "parsed: others like it are run"
        found[taken] = kind
    return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("documented") / "world"
    place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        make_world(place)
    return place


def test_commands_are_found() -> None:
    """Some that stand in each kind of place; a change of the markup must not hide them all."""
    found = {(taken.source, taken.text) for taken in ALL}
    assert ("README.md", "cloze serve") in found
    assert (
        "cloze report --help",
        'cloze report predictions/ --corpus corpora/cnn --title "CNN, March 2015"',
    ) in found
    assert (
        "training.md",
        "cloze train configs/newsroom/encoder.yaml corpus=corpus out=runs/encoder",
    ) in found
    assert len(ALL) > 120


@pytest.mark.parametrize("taken", ALL, ids=lambda taken: f"{taken.source}: {taken.text}"[:90])
def test_options_and_files_are_there(taken: Taken) -> None:
    resolve(taken)


@pytest.mark.parametrize("verb", [*AS_IT_IS, *LESS])
def test_what_can_be_run_runs(
    verb: str, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world)
    own = [taken for taken, kind in kinds().items() if verb_of(taken) == verb and kind in RUN]
    for number, taken in enumerate(own):
        here = tmp_path / str(number)
        shutil.copytree(world, here, symlinks=True)
        with monkeypatch.context() as patch:
            patch.chdir(here)
            make_room(output(verb, resolve(taken)))
            words = [w for word in taken.words[1:] for w in sorted(glob.glob(word)) or [word]]
            run([*words, *LESS.get(verb, [])] if taken.text not in QUICK else words)


def make_room(place: Path | None) -> None:
    """Remove what stands where the output goes."""
    if place is not None and place.is_dir():
        shutil.rmtree(place)
    elif place is not None:
        place.unlink(missing_ok=True)


def test_listed(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough of them are run, and the list says which."""
    monkeypatch.chdir(world)
    found = kinds()
    for taken, kind in sorted(found.items(), key=lambda pair: pair[1]):
        print(f"{kind:45} {taken.source:24} {taken.text}")
    assert sum(kind in RUN for kind in found.values()) > 30
    for verb in (*AS_IT_IS, *LESS):
        assert any(verb_of(t) == verb and kind in RUN for t, kind in found.items()), verb
