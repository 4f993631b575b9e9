"""How fast names are found: spaCy and the tagger on an Encoder Reader's body, in the same run.

    python benchmarks/tagger.py STORIES --stories 40
    python benchmarks/tagger.py STORIES --stories 40 --pipelines en_core_web_md encoder:bf16
    python benchmarks/tagger.py STORIES --device cuda          all of the stories, the tagger alone

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
_ON_CPU = ["", "encoder", "encoder:bf16", "encoder:int8"]  # the first is spaCy's best
_ON_GPU = ["encoder:bf16:cuda"]
_WORDS = 700


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="stories")
    parser.add_argument("--stories", type=int, help="how many; 40 on the CPU")
    parser.add_argument("--pipelines", nargs="+", help="spaCy's, encoder, encoder:bf16 ...")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    arguments = parser.parse_args()
    on_gpu = arguments.device == "cuda"
    pipelines = arguments.pipelines or (_ON_GPU if on_gpu else _ON_CPU)
    most = arguments.stories or (None if on_gpu else 40)
    read = (s for s in read_stories(arguments.source, Columns()) if isinstance(s, Story))
    stories = list(islice(read, most))
    language = load_language("en")
    texts = [text for story in stories for text in (story.article, *story.highlights)]
    tokens = sum(len(tokenise(text, language).words) for text in texts)
    article = Story("one", " ".join(" ".join(texts).split()[:_WORDS]), ())
    found = [pipeline_called(name or None) for name in pipelines]
    for pipeline in found:
        list(annotate(stories if on_gpu else stories[:1], pipeline))  # loaded, with its workers
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
