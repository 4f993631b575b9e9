"""A command's options parsed, and the files that it names looked for; nothing is run.

Placeholders in capitals (MODEL, URL) stand for what only the user has.
"""

import importlib.util
import re
import tomllib
from pathlib import Path
from typing import Any

from cloze.config import load
from cloze.shipped_configs import find_config
from cloze.training.settings import TrainSettings
from tests.commands.taken import ROOT, VERBS, Taken

OURS = ("configs/", "tests/", "src/", "experiments/", "benchmarks/", "docs/")


def resolve(taken: Taken) -> dict[str, Any]:
    """Fails with an exception that says what is wrong; returns the parsed values of a `cloze`."""
    program, *words = taken.words
    if program == "torchrun":
        program, words = "cloze", words[words.index("cloze") + 1 :]
    for word in words:
        place = word.split("=")[-1]
        if place.startswith(OURS) and "docs/config.md" not in place:
            assert (ROOT / place).exists(), f"there is no {place}"
    if program == "cloze":
        return parse(words, taken.mentioned)
    _CHECKS.get(program, _nothing)(words)
    return {}


def parse(words: list[str], mentioned: bool) -> dict[str, Any]:
    if words[0].startswith("-"):  # of the command itself: --help, --import MODULE VERB
        return {}
    verb, *rest = words
    command = VERBS[verb]
    if verb == "train" and rest and rest[0] in ("--keys", "--list"):
        return {}
    try:
        context = command.make_context(verb, rest)
    except Exception as problem:
        if mentioned and type(problem).__name__ in ("MissingParameter", "BadOptionUsage"):
            return {}
        raise
    values = dict(context.params)
    if verb in ("train", "search"):
        path = find_config(values["config"])
        if verb == "train":
            given = [o for o in values["overrides"] or [] if not _is_placeholder(o)]
            load(TrainSettings, path, given)
    return values


def _is_placeholder(word: str) -> bool:
    """Also a file that only the user has, which a config would open."""
    value = word.partition("=")[2]
    return value.isupper() or word.startswith(("reader.pretrained=", "teacher.answers="))


def _nothing(words: list[str]) -> None:
    """Somebody else's program: `make outside` runs these."""


def _python(words: list[str]) -> None:
    if words[0] == "-m":
        module = words[1]
        assert importlib.util.find_spec(module), f"there is no module {module}"
        source = Path(importlib.util.find_spec(module).origin or "")  # type: ignore[union-attr]
    else:
        source = ROOT / words[0]
        assert source.is_file(), f"there is no {words[0]}"
    text = source.read_text(encoding="utf-8")
    for word in words:
        if word.startswith("--"):
            assert f'"{word}"' in text, f"{source.name} has no option {word}"


def _make(words: list[str]) -> None:
    """Targets, and variables that the Makefile or a script in outside/ uses."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    scripts = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("outside/*/run"))
    for word in words:
        name, equals, _ = word.partition("=")
        wanted = rf"\$[({{]{name}\b" if equals else rf"(?m)^{name}:"
        assert re.search(wanted, makefile + scripts), f"the Makefile has no {name}"


def _pip(words: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"\[([\w,]+)\]", " ".join(words)):
        assert set(extras.split(",")) <= set(project["optional-dependencies"]), extras


_CHECKS = {"python": _python, "make": _make, "pip": _pip}
