"""Stories from a folder: every file in it that holds one, of any known kind."""

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Protocol

from cloze.builder.pages.page import Page
from cloze.builder.sources import html_pages, story_files
from cloze.compressed import kind_of
from cloze.files import Unreadable, content_of
from cloze.stories import Reason, Reject, Story


class Kind(Protocol):
    """What a module needs for its files to be read from folders."""

    @property
    def WHAT(self) -> str: ...
    @property
    def ENDINGS(self) -> tuple[str, ...]: ...
    def parse(self, content: bytes, name: str, /) -> Story | Reject | Page:
        """The story or page in a file; the name is its path in the folder."""


KINDS: tuple[Kind, ...] = (story_files, html_pages)
_KIND_OF = {ending: kind for kind in KINDS for ending in kind.ENDINGS}


def files(folder: Path) -> list[Path]:
    """Everything named like a story, in the order of the paths."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in _KIND_OF)


def holds_stories(folder: Path) -> bool:
    return any(path.suffix.lower() in _KIND_OF for path in folder.rglob("*"))


def read(folder: Path, other_sources: frozenset[str]) -> Iterator[Story | Reject | Page]:
    """Every story or page in the folder, in the order of the paths, or why it is none."""
    for path in sorted(folder.rglob("*")):
        story = _story(folder, path, other_sources)
        if story is not None:
            yield story


def cut(folder: Path, files: int) -> Iterator[dict[str, Any]]:
    """The names of so many files at a time."""
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*"))]
    for start in range(0, len(names), files):
        yield {"names": names[start : start + files]}


def read_part(
    folder: Path,
    other_sources: frozenset[str],
    part: dict[str, Any],
    wanted: Container[int] | None,
) -> Iterator[tuple[int, Story | Reject | Page]]:
    for number, name in enumerate(part["names"]):
        if wanted is None or number in wanted:
            story = _story(folder, folder / name, other_sources)
            if story is not None:
                yield number, story


def _story(folder: Path, path: Path, other_sources: frozenset[str]) -> Story | Reject | Page | None:
    """Tables and archives, which have the endings of other sources, are rejected: they may hold
    thousands of stories that nobody asked for. So are links to folders. Files of no known kind are
    ignored."""
    kind = _KIND_OF.get(path.suffix.lower())
    name = str(path.relative_to(folder))
    if kind is None:
        if path.is_symlink() and path.is_dir():  # it may lead anywhere, even back to us
            return Reject(name, Reason.LINKED_FOLDER)
        if kind_of(path) in other_sources and path.is_file():
            return Reject(name, Reason.OTHER_SOURCE)
        return None
    content = content_of(path)
    if isinstance(content, Unreadable):
        return Reject(name, Reason(content))
    return kind.parse(content, name)


def count(folder: Path) -> int:
    return len(files(folder))
