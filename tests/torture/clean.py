"""A path that is free before and after."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def removed(path: Path) -> Iterator[Path]:
    try:
        yield path
    finally:
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
