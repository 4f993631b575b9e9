"""Stories from a tar of CNN/Daily Mail `.story` files, compressed or not."""

import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from cloze.builder.sources.records import Columns
from cloze.builder.sources.story_files import story_in
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.stories import Reject, Story

WHAT = "a tar of .story files"
ENDINGS = (".tar", ".tgz")
IN_FOLDER = False


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every `.story` file of the tar, in its order."""
    with opened(path) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    name = PurePosixPath(member.name).name
                    # Other computers' archives hold shadows of files: ._name.story
                    if member.isfile() and name.endswith(".story") and not name.startswith("._"):
                        file = archive.extractfile(member)
                        assert file is not None
                        yield story_in(file.read(), name)
        except tarfile.TarError as problem:
            raise UserError(f"is not a whole tar ({problem})", where=path) from None


def count(path: Path) -> None:
    """Not quick to tell: the whole tar would have to be read."""
