"""Stories from a folder of CNN/Daily Mail `.story` files.

The text of the article comes first, with blank lines between paragraphs, and then for each
highlight a line `@highlight`, a blank line and the highlight. The file's name is the id.
"""

from pathlib import PurePath

from cloze.stories import Reason, Reject, Story, checked

WHAT = "a folder of stories"
ENDINGS = (".story",)
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


def parse(content: bytes, name: str) -> Story | Reject:
    """The story in a file of this name."""
    name = PurePath(name).name
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Reject(name, Reason.NOT_UTF8)
    return checked(parse_story(text, name[: -len(ENDINGS[0])]), name)
