"""Stories from a folder of CNN/Daily Mail `.story` files.

The text of the article, paragraphs apart by blank lines, and then for each highlight a line
`@highlight`, a blank line and the highlight. The file's name is the id.
"""

from collections.abc import Iterator
from pathlib import Path

from cloze.builder.sources.records import Columns, checked
from cloze.stories import Reason, Reject, Story

WHAT = "a folder of stories"
ENDINGS = (".story",)
IN_FOLDER = True
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


def read(folder: Path, columns: Columns) -> Iterator[Story | Reject]:
    """Every `.story` file below the folder, in the order of their paths."""
    for path in sorted(folder.rglob("*.story")):
        yield story_in(path.read_bytes(), path.name)


def count(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.story"))


def story_in(content: bytes, name: str) -> Story | Reject:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Reject(name, Reason.NOT_UTF8)
    return checked(parse_story(text, name.removesuffix(".story")), name)
