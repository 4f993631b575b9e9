"""Stories from a folder: every file in it that holds one, of any known kind."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

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
    """Every story or page in the folder, in the order of the paths, and a reject for what is none.

    Tables and archives, which have the endings of other sources, are rejected too: they may hold
    thousands of stories that nobody asked for. So are links to folders. Files of no known kind are
    ignored.
    """
    for path in sorted(folder.rglob("*")):
        kind = _KIND_OF.get(path.suffix.lower())
        name = str(path.relative_to(folder))
        if kind is None:
            if path.is_symlink() and path.is_dir():  # it may lead anywhere, even back to us
                yield Reject(name, Reason.LINKED_FOLDER)
            elif kind_of(path) in other_sources and path.is_file():
                yield Reject(name, Reason.OTHER_SOURCE)
            continue
        content = content_of(path)
        if isinstance(content, Unreadable):
            yield Reject(name, Reason(content))
        else:
            yield kind.parse(content, name)


def count(folder: Path) -> int:
    return len(files(folder))
