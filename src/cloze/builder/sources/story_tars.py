"""Stories from a tar of CNN/Daily Mail `.story` files, compressed or not."""

from collections.abc import Container, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from cloze.builder.sources.records import Columns
from cloze.builder.sources.story_files import parse
from cloze.files import Unreadable
from cloze.stories import Reason, Reject, Story
from cloze.tars import TarRange, files_in, tar_ranges

WHAT = "a tar of .story files"
ENDINGS = (".tar", ".tgz")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every `.story` file of the tar, in order."""
    return (story for _, story in read_part(path, columns, {}, None))


def cut(path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Ranges of members; a compressed tar is one part."""
    found = False
    for each in tar_ranges(path, size):
        found = True
        yield each._asdict()
    if not found:
        yield {}


def read_part(
    path: Path, columns: Columns, part: dict[str, Any], wanted: Container[int] | None
) -> Iterator[tuple[int, Story | Reject]]:
    within = TarRange(**part) if part else None
    for number, (member, content) in enumerate(files_in(path, ".story", within)):
        name = PurePosixPath(member).name
        if name.startswith("._") or (wanted is not None and number not in wanted):
            continue  # macOS puts shadow files into archives: ._name.story
        if isinstance(content, Unreadable):
            yield number, Reject(name, Reason(content))
        else:
            yield number, parse(content, name)


def count(path: Path) -> None:
    """Not quick to find out: the whole tar would have to be read."""
