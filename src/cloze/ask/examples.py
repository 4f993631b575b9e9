"""Stories that the page offers to try a reader on; made up, so no reader was trained on them."""

from importlib.resources import files
from pathlib import Path

from cloze.ask.messages import Example
from cloze.builder.sources.story_files import parse_story
from cloze.errors import UserError
from cloze.stories import Story


def examples() -> list[Example]:
    return [Example(article=s.article, highlights=list(s.highlights)) for s in _stories().values()]


def story(name: str) -> Story:
    """One of the stories by its name.

    >>> story("ferry").article[:33]
    'A ferry that ran aground off the '
    """
    found = _stories()
    if name not in found:
        raise UserError(f"there is no story called '{name}'", fix=f"there is {', '.join(found)}")
    return found[name]


def _stories() -> dict[str, Story]:
    folder = files("cloze.ask") / "stories"
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".story")), key=str)
    stories = (parse_story(f.read_text(encoding="utf-8"), Path(f.name).stem) for f in found)
    return {story.id: story for story in stories}
