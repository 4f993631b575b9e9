"""Stories from a tar of CNN/Daily Mail `.story` files, compressed or not."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from cloze.builder.sources.records import Columns
from cloze.builder.sources.story_files import parse
from cloze.files import Unreadable
from cloze.stories import Reason, Reject, Story
from cloze.tars import files_in

WHAT = "a tar of .story files"
ENDINGS = (".tar", ".tgz")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every `.story` file of the tar, in order."""
    for member, content in files_in(path, ".story"):
        name = PurePosixPath(member).name
        if name.startswith("._"):
            continue  # macOS puts shadow files into archives: ._name.story
        if isinstance(content, Unreadable):
            yield Reject(name, Reason(content))
        else:
            yield parse(content, name)


def count(path: Path) -> None:
    """Not quick to find out: the whole tar would have to be read."""
