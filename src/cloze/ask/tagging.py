"""The builder's entity detection for texts that come one by one."""

from collections.abc import Callable, Sequence

from cloze.corpus.entities import annotate, load_pipeline
from cloze.corpus.mentions import Span
from cloze.corpus.story import Story

Tagger = Callable[[Sequence[str]], list[list[Span]]]


def tagger(pipeline: str | None = None) -> Tagger:
    """A function from texts to their spans. The pipeline is loaded now, so that one that is
    missing is told at once."""
    load_pipeline(pipeline)

    def tag(texts: Sequence[str]) -> list[list[Span]]:
        stories = (Story(str(number), text, ()) for number, text in enumerate(texts))
        return [found.texts[0] for found in annotate(stories, pipeline)]

    return tag
