"""How fast names are found: spaCy and the tagger on an Encoder Reader's body, in the same run.

    python benchmarks/tagger.py STORIES --stories 40
    python benchmarks/tagger.py STORIES --stories 40 --pipelines en_core_web_md encoder:bf16
    python benchmarks/tagger.py STORIES --stories 2000 --pipelines encoder:bf16:cuda

Tokens are those of a corpus. The pipelines take turns, and the best of the rounds counts. The last
column is how long one article of 700 words takes until its names are ready, as in `cloze ask`.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

from cloze.builder.sources import Columns, read_stories
from cloze.finding import pipeline_called
from cloze.names.detection import Pipeline, annotate, pipeline_name
from cloze.names.language import load_language
from cloze.names.tokens import tokenise
from cloze.stories import Story

_ROUNDS = 3
_WORDS = 700


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="stories")
    parser.add_argument("--stories", type=int, default=40)
    parser.add_argument("--pipelines", nargs="+", default=["", "encoder", "encoder:bf16"])
    arguments = parser.parse_args()
    read = (s for s in read_stories(arguments.source, Columns()) if isinstance(s, Story))
    stories = list(islice(read, arguments.stories))
    language = load_language("en")
    texts = [text for story in stories for text in (story.article, *story.highlights)]
    tokens = sum(len(tokenise(text, language).words) for text in texts)
    article = Story("one", " ".join(" ".join(texts).split()[:_WORDS]), ())
    found = [pipeline_called(name or None) for name in arguments.pipelines]
    for pipeline in found:
        list(annotate(stories[:1], pipeline))  # loaded before the clock runs
    best = [float("inf")] * len(found)
    alone = [float("inf")] * len(found)
    for _ in range(_ROUNDS):
        for number, pipeline in enumerate(found):
            best[number] = min(best[number], _seconds(stories, pipeline))
            alone[number] = min(alone[number], _seconds([article], pipeline))
    print(f"{len(stories)} stories, {tokens:,} tokens, best of {_ROUNDS}")
    for pipeline, seconds, one in zip(found, best, alone, strict=True):
        speed = f"{tokens / seconds:10,.0f} tokens/s"
        print(f"{pipeline_name(pipeline):32}{speed}{1000 * one:8.0f} ms for {_WORDS} words")


def _seconds(stories: list[Story], pipeline: Pipeline) -> float:
    begun = time.perf_counter()
    list(annotate(stories, pipeline))
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
