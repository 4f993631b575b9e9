"""The builder's entity detection for texts that come one by one."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from cloze.names.detection import annotate, load_pipeline
from cloze.names.mentions import Span
from cloze.story import Story


class Tagged(NamedTuple):
    """What a pipeline found in a text."""

    spans: list[Span]
    clusters: Sequence[Sequence[tuple[int, int]]] = ()  # characters [start, end) of mentions


Tagger = Callable[[Sequence[str]], list[Tagged]]


def tagger(pipeline: str | None = None) -> Tagger:
    """A function from texts to what is in them. The pipeline is loaded now, so that one that is
    missing is told at once."""
    load_pipeline(pipeline)

    def tag(texts: Sequence[str]) -> list[Tagged]:
        stories = (Story(str(number), text, ()) for number, text in enumerate(texts))
        return [
            Tagged(found.texts[0], [[(start, end) for _, start, end in c] for c in found.clusters])
            for found in annotate(stories, pipeline)
        ]

    return tag
