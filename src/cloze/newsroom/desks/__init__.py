"""The desks of the newsroom, each a file of frames; an article comes from one of them, with asides
from anywhere and profiles of the people in it."""

from importlib.resources import files

from cloze.newsroom.frame import Frame, parse_desk


def _desk(name: str) -> tuple[Frame, ...]:
    return parse_desk((files("cloze.newsroom.desks") / f"{name}.txt").read_text(encoding="utf-8"))


DESKS = tuple(map(_desk, "arts business courts hazards politics science sport".split()))
ASIDES = _desk("asides")
PROFILES = {frame.name: frame for frame in _desk("profiles")}
