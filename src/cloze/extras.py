"""The extras: groups of optional packages, and one line when a package is missing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cloze.errors import UserError

CHECKOUT = Path(__file__).parents[2]


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Imports in this block need an extra; without it the user is told how to install it.

    with needs("serve"):
        import fastapi
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package == "cloze":
            raise
        raise missing_package(package, extra) from None


def missing_package(package: str, extra: str) -> UserError:
    return UserError(f"the package {package} is not installed", fix=f"run: {install(extra)}")


def install(extra: str) -> str:
    """The command that installs an extra, from a checkout or from the package index."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return f"{sys.executable} -m pip install -e '{CHECKOUT}[{extra}]'"
    return f"pip install 'cloze-reader[{extra}]'"
