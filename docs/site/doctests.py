"""For mkdocstrings: show a doctest in a docstring as code, without fences in the docstring."""

from typing import Any

import griffe


class Doctests(griffe.Extension):
    def on_instance(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring:
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(map(_fenced, paragraphs))


def _fenced(paragraph: str) -> str:
    before, mark, code = paragraph.partition(">>> ")
    return f"{before}\n```pycon\n{mark}{code}\n```" if mark else paragraph
