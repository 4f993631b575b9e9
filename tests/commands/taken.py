"""Every command that README, docs and --help show, taken from their text.

A command is a line of a code block, or a span of code in a sentence. Behind two spaces or a # stands
an explanation; a $ before it is a prompt.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from cloze.cli.main import app

ROOT = Path(__file__).parents[2]
PROGRAMS = ("cloze", "python", "make", "pip", "pytest", "torchrun", "lm_eval", "inspect")
VERBS = typer.main.get_command(app).commands  # type: ignore[attr-defined]

_BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.S | re.M)
_AS_IT_IS = re.compile(r"\x08\n(.*?)(?:\n\n|\Z)", re.S)
_SPAN = re.compile(r"`((?:cloze|make) [^`\n]+)`")
_EXPLANATION = re.compile(r"\s{2,}|\s#|\s[|>]\s|\s→")


@dataclass(frozen=True)
class Taken:
    source: str  # a page, or "cloze VERB --help"
    text: str
    mentioned: bool  # in a sentence, where it may be without its arguments

    @property
    def words(self) -> list[str]:
        """As a shell splits it, without the folder of an environment."""
        words = shlex.split(self.text)
        return [words[0].removeprefix(".venv/bin/"), *words[1:]]


def commands() -> list[Taken]:
    """Each once, where it stands first; a whole command counts before the mention of it."""
    found = sorted([*_of_pages(), *_of_help()], key=lambda taken: taken.mentioned)
    first: dict[str, Taken] = {}
    for taken in found:
        first.setdefault(" ".join(taken.words), taken)
    return list(first.values())


def _of_pages() -> Iterator[Taken]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for block in _BLOCK.findall(text):
            yield from _lines(block, page.name)
        for span in _SPAN.findall(_BLOCK.sub("", text)):
            if "…" not in span:
                yield from _lines(span, page.name, mentioned=True)


def _of_help() -> Iterator[Taken]:
    """In help texts, examples stand in paragraphs that are kept as they are; \\b marks them."""
    yield from _lines(typer.main.get_command(app).help or "", "cloze --help")
    for verb, command in VERBS.items():
        for block in _AS_IT_IS.findall(command.help or ""):
            yield from _lines(block, f"cloze {verb} --help")


def _lines(text: str, source: str, *, mentioned: bool = False) -> Iterator[Taken]:
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        command = _EXPLANATION.split(line.strip().removeprefix("$ "))[0].removesuffix(":")
        program, *rest = command.removeprefix(".venv/bin/").split(" ")
        if program in PROGRAMS and rest and (program != "cloze" or _is_verb(rest[0])):
            yield Taken(source, command, mentioned)


def _is_verb(word: str) -> bool:
    """A sentence may begin with the name of the command too."""
    return word in VERBS or word.startswith("-")
