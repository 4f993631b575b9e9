"""Stories that the page offers to try a reader on; made up, so no reader was trained on them."""

from importlib.resources import files

from cloze.ask.messages import Example
from cloze.builder.sources.story_files import ENDING, parse_story


def examples() -> list[Example]:
    folder = files("cloze.ask") / "stories"
    found = sorted((file for file in folder.iterdir() if file.name.endswith(ENDING)), key=str)
    stories = [parse_story(file.read_text(encoding="utf-8"), file.name) for file in found]
    return [Example(article=s.article, highlights=list(s.highlights)) for s in stories]
