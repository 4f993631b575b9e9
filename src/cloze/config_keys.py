"""Every key of a config with its type, default, range and meaning, read off the declarations.

What a key means is the comment beside it in its class, or above it; a None of Python is the null of
YAML.
"""

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from textwrap import dedent
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from cloze.tables import Table, as_markdown

Kinds = Mapping[str, type[BaseModel]]  # of one section, where its keys depend on its kind

_TYPES = {
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "string": "text",
    "array": "list",
    "null": "null",
}
_RANGES = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class Key(NamedTuple):
    name: str  # as an override is written: run.seed
    type: str
    default: str
    range: str
    meaning: str


def keys(
    schema: type[BaseModel], kinds: Mapping[str, Kinds] | None = None, before: str = ""
) -> Iterator[Key]:
    """The keys in the order of declaration; `kinds` has the schemas of sections that depend."""
    declared = schema.model_json_schema()
    for name, field in schema.model_fields.items():
        path = before + name
        inner = _schemas_in(field.annotation)
        if kinds and path in kinds:
            yield from _keys_by_kind(
                kinds[path], field.get_default(call_default_factory=True), f"{path}."
            )
        elif inner and inner[0] is field.annotation:
            yield from keys(inner[0], kinds, f"{path}.")
        else:
            own = declared["properties"][name]
            default = "required" if field.is_required() else _text(own.get("default"))
            yield Key(path, _type(own), default, _range(own), meanings(schema).get(name, ""))
            for below in inner:
                yield from keys(below, kinds, f"{path}[].")


def _schemas_in(annotation: Any) -> list[type[BaseModel]]:
    return [
        part
        for part in (annotation, *get_args(annotation))
        if isinstance(part, type) and issubclass(part, BaseModel)
    ]


def _keys_by_kind(kinds: Kinds, default: Any, before: str) -> Iterator[Key]:
    """Keys that all kinds share come once; for the others the kinds that have them are named."""
    owners: dict[Key, list[str]] = {}
    for kind, schema in kinds.items():
        for key in keys(schema, before=before):
            if key.name != f"{before}kind":
                owners.setdefault(key, []).append(kind)
    yield Key(
        f"{before}kind",
        f"one of {', '.join(kinds)}",
        default.kind,
        "",
        "which keys there are below",
    )
    for key, own in sorted(owners.items(), key=lambda pair: -len(pair[1])):
        whose = "" if len(own) == len(kinds) else f"{', '.join(own)} only: "
        yield key._replace(meaning=f"{whose}{key.meaning}")


def _type(own: Mapping[str, Any]) -> str:
    if "anyOf" in own:
        return " or ".join(map(_type, own["anyOf"]))
    if "enum" in own:
        return f"one of {', '.join(map(str, own['enum']))}"
    return "path" if own.get("format") == "path" else _TYPES.get(own.get("type", ""), "section")


def _range(own: Mapping[str, Any]) -> str:
    found = [f"{sign} {own[bound]}" for bound, sign in _RANGES.items() if bound in own]
    return ", ".join([*found, *filter(None, map(_range, own.get("anyOf", ())))])


def _text(default: Any) -> str:
    return default if isinstance(default, str) else json.dumps(default)  # which is valid YAML too


@cache
def meanings(schema: type[BaseModel]) -> dict[str, str]:
    """The comments on the keys of a class and of those that it comes from."""
    found: dict[str, str] = {}
    for parent in reversed(schema.__mro__):
        if issubclass(parent, BaseModel) and parent is not BaseModel:
            lines = dedent(inspect.getsource(parent)).splitlines()
            for node in ast.walk(ast.parse("\n".join(lines))):
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    found[node.target.id] = _comment(lines, node)
    return found


def _comment(lines: list[str], node: ast.AnnAssign) -> str:
    assert node.end_lineno is not None
    after = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
    _, _, beside = after.partition("#")
    if beside:
        return beside.strip().replace("None", "null")
    above: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.lstrip().startswith("#"):
            break
        above.insert(0, line.lstrip(" #"))
    return " ".join(above).replace("None", "null")


def _section(key: Key) -> str:
    """The first part of `run.seed`; none for a key at the top, also where it holds a list."""
    first, dot, _ = key.name.partition(".")
    return first if dot and not first.endswith("[]") else ""


def as_page(title: str, found: Iterator[Key]) -> str:
    """The keys in Markdown, a table for each section."""
    parts = [f"# {title}"]
    for section, own in groupby(found, key=_section):
        parts += [f"## {section}"] * bool(section)
        rows = [tuple(key) for key in own]
        parts.append(as_markdown(Table(["key", "type", "default", "range", "meaning"], rows, "l")))
    return "\n\n".join(parts) + "\n"
