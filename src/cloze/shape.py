"""What a JSON file must look like, checked where it is read.

class _File(Shape):
    sha256: str

_File.check({"sha256": 7}, where=path)     UserError: 'sha256' should be a valid string
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from cloze.errors import UserError


class Shape(BaseModel):
    """Declares the keys that we use; others are ignored."""

    model_config = ConfigDict(extra="allow", strict=True)

    @classmethod
    def check(cls, value: Any, *, where: object, fix: str | None = None) -> Any:
        """The value itself, if it has this shape."""
        try:
            cls.model_validate(value)
        except ValidationError as problem:
            first = problem.errors()[0]
            key = ".".join(map(str, first["loc"]))
            said = first["msg"].removeprefix("Input ").removeprefix("Value error, ")
            what = f"has no '{key}'" if first["type"] == "missing" else f"'{key}' {said}"
            raise UserError(what if key else said, where=where, fix=fix) from None
        return value


class FileShape(Shape):
    """What `cloze.files.described` says of a file."""

    bytes: NonNegativeInt
    sha256: str
