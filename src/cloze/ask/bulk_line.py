"""One line of a file of questions: an article, or the path of one, with what is asked about it.

    {"id": "a1", "article": "Mara Venn met Lund in Paris.", "questions": ["X met Lund"]}
    {"path": "news/ferry.story", "questions": ["The X ran aground", "X was rescued"]}

`id` and `highlights` may be left out; further keys are ignored. A path is relative to the folder of
the file that names it; a `.story` brings its own highlights.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from cloze.builder.sources.story_files import parse_story
from cloze.errors import UserError
from cloze.files import MOST_BYTES, Unreadable, content_of
from cloze.shape import Shape


@dataclass(frozen=True)
class AskedLine:
    id: str | int | None
    article: str
    highlights: list[str]
    questions: list[str]
    content: bytes  # of the file that a path names; with the line, all that was read


class _Line(Shape):
    id: str | int | None = None
    article: str | None = None
    path: str | None = None
    highlights: list[str] = Field(default_factory=list)
    questions: list[str] = Field(min_length=1)


def read_line(line: bytes, folder: Path) -> AskedLine:
    """A line of the file; a UserError says why it cannot be asked."""
    if not line.strip():
        raise UserError("is empty")
    if len(line) > MOST_BYTES:
        raise UserError(Unreadable.TOO_BIG)
    found = _Line.model_validate(_Line.check(_value(line), where=None))
    if (found.article is None) == (found.path is None):
        raise UserError("needs either an 'article' or a 'path'")
    if found.path is None:
        article, highlights, content = found.article or "", found.highlights, b""
    else:
        article, highlights, content = _file(folder / found.path)
    return AskedLine(found.id, article, found.highlights or highlights, found.questions, content)


def _value(line: bytes) -> object:
    try:
        value = json.loads(line.decode("utf-8-sig"))
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is not text
    except UnicodeDecodeError:
        raise UserError("is not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise UserError("is not valid JSON") from None
    return value


def _file(path: Path) -> tuple[str, list[str], bytes]:
    content = content_of(path)
    if isinstance(content, Unreadable):
        raise UserError(content, where=path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError("is not UTF-8 text", where=path) from None
    if path.suffix != ".story":
        return text, [], content
    story = parse_story(text, path.stem)
    return story.article, list(story.highlights), content
