"""Stories from CNN/Daily Mail `.story` files: a folder of them, or a tar.

The text of the article, paragraphs apart by blank lines, and then for each highlight a line
`@highlight`, a blank line and the highlight. The file's name is the id.
"""

import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from cloze.builder.sources.records import checked
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story

ENDING = ".story"
_MARK = "@highlight"


def parse_story(text: str, name: str) -> Story:
    """
    >>> story = parse_story("It rained.\\n\\nA lot.\\n\\n@highlight\\n\\nRain fell\\n", "rain")
    >>> story.article, story.highlights
    ('It rained.\\n\\nA lot.', ('Rain fell',))
    """
    article, *highlights = ("\n" + text.replace("\r\n", "\n")).split(f"\n{_MARK}")
    cleaned = (" ".join(highlight.split()) for highlight in highlights)
    return Story(name, article.strip(), tuple(highlight for highlight in cleaned if highlight))


def read_folder(folder: Path) -> Iterator[Story | Reject]:
    """Every `.story` file below the folder, in the order of their paths."""
    paths = sorted(folder.rglob(f"*{ENDING}"))
    for path in paths:
        yield _story(path.read_bytes(), path.name)


def read_tar(path: Path) -> Iterator[Story | Reject]:
    """Every `.story` file in a tar, compressed or not, in its order."""
    with opened(path) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    name = PurePosixPath(member.name).name
                    # Other computers' archives hold shadows of files: ._name.story
                    if member.isfile() and name.endswith(ENDING) and not name.startswith("._"):
                        file = archive.extractfile(member)
                        assert file is not None
                        yield _story(file.read(), name)
        except tarfile.TarError as problem:
            raise UserError(f"is not a whole tar ({problem})", where=path) from None


def _story(content: bytes, name: str) -> Story | Reject:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Reject(name, Reason.NOT_UTF8)
    return checked(parse_story(text, name.removesuffix(ENDING)), name)
