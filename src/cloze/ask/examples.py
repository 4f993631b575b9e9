"""Stories that the page offers to try a reader on; made up, so no reader was trained on them."""

from importlib.resources import files

from cloze.ask.messages import Example
from cloze.builder.sources.story_files import ENDING, parse_story
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
    names = sorted(f.name.removesuffix(ENDING) for f in folder.iterdir() if f.name.endswith(ENDING))
    return {
        name: parse_story((folder / f"{name}{ENDING}").read_text(encoding="utf-8"), name)
        for name in names
    }
