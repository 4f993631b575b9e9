"""Prompts are Jinja2 templates: those in templates/, or a file of your own.

A template is given `article` (empty where the form hides it), `question`, `candidates`, each with a
`label` and a `letter`, and `gap`, the word that stands in the question for the answer. A template
that shows letters gets replies by letter.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from cloze.errors import UserError
from cloze.files import read_text
from cloze.language_models.forms import Item
from cloze.text import PLACEHOLDER

# What a template with a fault ends in; numbers and calls are worked out as Python does.
_FAULTS = (
    *(TemplateError, ArithmeticError, LookupError, TypeError, ValueError),
    *(RecursionError, SyntaxError, MemoryError),
)


@dataclass(frozen=True)
class Prompt:
    text: str  # the template, whole
    where: str = ""  # the file that it came from, for messages

    @classmethod
    def built_in(cls, interface: str) -> "Prompt":
        folder = files("cloze.language_models") / "templates"
        return cls((folder / f"{interface}.txt").read_text(encoding="utf-8"))

    @classmethod
    def from_file(cls, path: Path) -> "Prompt":
        prompt = cls(read_text(path), str(path))
        prompt._template  # noqa: B018  a template with a fault is refused before anything is asked
        return prompt

    @property
    def version(self) -> str:
        """Twelve hex digits that change with every letter of the template."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def offers_letters(self) -> bool:
        return ".letter" in self.text

    def fill(self, item: Item) -> str:
        values = {
            "article": item.article,
            "question": item.question,
            "candidates": item.candidates,
            "gap": PLACEHOLDER,
        }
        try:
            return self._template.render(values).strip()
        except _FAULTS as problem:
            raise self._fault(problem) from None

    @cached_property
    def _template(self) -> Template:
        # A template may come from anyone: in the sandbox it reaches nothing but its values.
        environment = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        try:
            return environment.from_string(self.text)
        except _FAULTS as problem:
            raise self._fault(problem) from None

    def _fault(self, problem: Exception) -> UserError:
        return UserError(
            f"the prompt template is not valid ({problem})",
            where=self.where or None,
            fix="it may use article, question, candidates and gap",
        )
