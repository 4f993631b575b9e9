"""Configs: YAML files checked by Pydantic, every error listed at once, `key=value` on top."""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, field_validator

from cloze.errors import UserError
from cloze.files import read_text

_LARGEST = (2 - 2**-23) * 2.0**127  # of 32-bit floating point


class Settings(BaseModel):
    """The parent of every config: unknown keys are refused, values do not change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _fits(cls, value: Any) -> Any:
        """Readers compute in 32 bits."""
        if isinstance(value, float) and not abs(value) <= _LARGEST:
            raise ValueError(f"{value:g} is no number that fits into 32 bits")
        return value


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class ChosenBy:
    """Checks a field whose keys depend on its values: `schema(values)` is the class to check it by.

    reader: Annotated[SerializeAsAny[ReaderConfig], BeforeValidator(ChosenBy(schema_of))]
    """

    schema: Callable[[Mapping[str, Any]], type[Settings]]

    def __call__(self, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        try:
            schema = self.schema(values)
        except UserError as problem:
            raise ValueError(str(problem)) from None
        return schema.model_validate(values)


def load(schema: type[S], path: Path | None = None, overrides: Sequence[str] = ()) -> S:
    """Read a YAML file, lay `a.b=value` overrides over it and validate.

    All errors come in one UserError; for an unknown key it suggests the nearest known one.
    """
    values: dict[str, Any] = {}
    if path is not None:
        values = _read_yaml(Path(path))
    for override in overrides:
        _lay_over(values, override)
    return check(schema, values, where=path)


def check(schema: type[S], values: Mapping[str, Any], *, where: object = None) -> S:
    """Validate the content of a file; one UserError lists every error."""
    try:
        return schema.model_validate(values)
    except ValidationError as problem:
        lines = [_line(schema, values, error) for error in problem.errors()]
        head = f"{len(lines)} error{'s' if len(lines) > 1 else ''} in the config"
        raise UserError(f"{head}: " + "; ".join(lines), where=where) from None
    except UnicodeEncodeError:  # YAML can write half of a character, and so can a command line
        raise UserError("holds text that is not UTF-8", where=where) from None


class _Loader(yaml.SafeLoader):
    """No value of a config is a date: a folder may be called 2015-04-01."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
# Too long a number is a ValueError, and so is a date that was asked for by its tag.
_NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)


def _parse(text: str) -> Any:
    return yaml.load(text, _Loader)


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        values = _parse(read_text(path))
    except _NOT_YAML as problem:
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
        values[last] = _parse(text)
    except _NOT_YAML:
        raise UserError(f"the value of '{override}' is not valid YAML") from None


def _line(schema: type[BaseModel], values: Mapping[str, Any], error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        near = _nearest(key, list(_keys(schema, values)))
        return f"unknown key '{key}'" + (f" (did you mean '{near}'?)" if near else "")
    what = error["msg"].removeprefix("Value error, ")
    return f"'{key}': {what[0].lower()}{what[1:]}"


def _nearest(key: str, known: Sequence[str]) -> str | None:
    """The known key that was most likely meant.

    >>> known = ["optimiser", "optimiser.name", "optimiser.learning_rate", "run.steps", "run"]
    >>> _nearest("optimiser.rate", known), _nearest("lr", known), _nearest("run.stepz", known)
    ('optimiser.learning_rate', 'optimiser.learning_rate', 'run.steps')
    """
    word = key.rpartition(".")[2]

    def likeness(other: str) -> tuple[bool, float]:
        last = other.rpartition(".")[2]
        parts = last.split("_")
        short = word in parts or (len(parts) > 1 and word == "".join(p[:1] for p in parts))
        return short, difflib.SequenceMatcher(None, key, other).ratio()

    return max(known, key=likeness, default=None)


def _keys(schema: type[BaseModel], values: Any, before: str = "") -> Iterator[str]:
    for name, field in schema.model_fields.items():
        yield before + name
        below = values.get(name) if isinstance(values, Mapping) else None
        checks = [mark.func for mark in field.metadata if isinstance(mark, BeforeValidator)]
        chosen = next((check for check in checks if isinstance(check, ChosenBy)), None)
        if chosen and isinstance(below, Mapping):
            with suppress(UserError):  # nothing is known below: an error of its own
                yield from _keys(chosen.schema(below), below, f"{before}{name}.")
            continue
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from _keys(inner, below, f"{before}{name}.")
