"""The builder's entity detection for articles that arrive one by one."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

from cloze.finding import pipeline_to_ask_with
from cloze.names.detection import annotate, load_pipeline
from cloze.names.spans import StorySpans
from cloze.stories import Story

Tagger = Callable[[Sequence[Story]], list[StorySpans]]


def tagger(pipeline: str | None = None, language: str = "en") -> Tagger:
    """A function from stories to the spans in them. The pipeline is loaded now, so that a missing
    one is reported before anything is asked."""
    found = pipeline_to_ask_with(pipeline, language)
    if found is None or isinstance(found, str):
        load_pipeline(found, language)
    else:
        list(found.spans(["Mara Venn met Lund in Paris."]))
    return lambda stories: list(annotate(stories, found, language))


class Remembering:
    """A tagger that remembers the last stories, for further questions about the same article.

    It keeps a story's hash and the positions of its names, not the text.
    """

    def __init__(self, tag: Tagger, most: int = 256) -> None:
        self._tag = tag
        self._most = most
        self._known: OrderedDict[bytes, StorySpans] = OrderedDict()

    def tag(self, stories: Sequence[Story]) -> list[StorySpans]:
        keys = [_key(story) for story in stories]
        new = {k: story for k, story in zip(keys, stories, strict=True) if k not in self._known}
        found = dict(zip(new, self._tag(list(new.values())), strict=True)) if new else {}
        results = []
        for key in keys:
            spans = found[key] if key in found else self._known[key]
            self._known[key] = spans
            self._known.move_to_end(key)
            results.append(spans)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return results


def _key(story: Story) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for text in (story.article, *story.highlights):
        digest.update(hashlib.blake2b(text.encode(), digest_size=16).digest())
    return digest.digest()
