"""Configs: YAML files checked by Pydantic, every error listed at once, `key=value` on top."""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from cloze.errors import UserError


class Settings(BaseModel):
    """The parent of every config: unknown keys are refused, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


S = TypeVar("S", bound=Settings)


def load(schema: type[S], path: Path | None = None, overrides: Sequence[str] = ()) -> S:
    """Read a YAML file, lay `a.b=value` overrides over it and validate.

    All errors come in one UserError, and an unknown key brings the nearest known name.
    """
    values: dict[str, Any] = {}
    if path is not None:
        values = _read_yaml(Path(path))
    for override in overrides:
        _lay_over(values, override)
    try:
        return schema.model_validate(values)
    except ValidationError as problem:
        lines = [_line(schema, error) for error in problem.errors()]
        head = f"{len(lines)} error{'s' if len(lines) > 1 else ''} in the config"
        raise UserError(f"{head}: " + "; ".join(lines), where=path) from None


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError("no such config file", where=path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        line = " ".join(str(problem).split())
        raise UserError(f"is not valid YAML ({line})", where=path) from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise UserError("a config is a mapping of keys to values", where=path)
    return values


def _lay_over(values: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise UserError(f"'{override}' is not an override", fix="write key=value")
    *parents, last = key.split(".")
    for parent in parents:
        below = values.setdefault(parent, {})
        if not isinstance(below, dict):
            raise UserError(f"'{parent}' in '{override}' has no keys below it")
        values = below
    try:
        values[last] = yaml.safe_load(text)
    except yaml.YAMLError:
        raise UserError(f"the value of '{override}' is not valid YAML") from None


def _line(schema: type[BaseModel], error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, list(_keys(schema)), n=1, cutoff=0.0)
        return f"unknown key '{key}'" + (f" (did you mean '{near[0]}'?)" if near else "")
    return f"'{key}': {error['msg'][0].lower()}{error['msg'][1:]}"


def _keys(schema: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in schema.model_fields.items():
        yield before + name
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from _keys(inner, f"{before}{name}.")
