"""How fast names are found: spaCy and the tagger on an Encoder Reader's body, in the same run.

    python benchmarks/tagger.py STORIES --stories 40
    python benchmarks/tagger.py STORIES --stories 40 --pipelines en_core_web_md encoder:bf16
    python benchmarks/tagger.py STORIES --device cuda          all of the stories, the tagger alone

Tokens are those of a corpus. The pipelines take turns, and the best of the rounds counts. The last
columns are how long one article of 700 words takes until its names are ready, and until the reader
that comes with the package has answered a question about it, as in `cloze ask`.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

import cloze
from cloze.ask.asking import Model
from cloze.builder.sources import Columns, read_stories
from cloze.finding import pipeline_called
from cloze.names.detection import Pipeline, annotate, pipeline_name
from cloze.names.language import load_language
from cloze.names.tokens import tokenise
from cloze.stories import Story

_ON_CPU = ["", "encoder", "encoder:bf16", "encoder:int8"]  # the first is spaCy's best
_ON_GPU = ["encoder:bf16:cuda"]
_WORDS = 700
_QUESTION = "X said so on Monday"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="stories")
    parser.add_argument("--stories", type=int, help="how many; 40 on the CPU")
    parser.add_argument("--pipelines", nargs="+", help="spaCy's, encoder, encoder:bf16 ...")
    parser.add_argument("--rounds", type=int, default=3, help="more of them on a busy machine")
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
    answered = [float("inf")] * len(found)
    models = [cloze.load(device=arguments.device, pipeline=name or None) for name in pipelines]
    for model in models:
        model.ask(article.article, _QUESTION)  # loaded
    for turn in range(arguments.rounds):
        for number, pipeline in enumerate(found):
            best[number] = min(best[number], _seconds(stories, pipeline))
            alone[number] = min(alone[number], _seconds([article], pipeline))
            new = f"{article.article} It was number {turn}."  # whose names are not remembered
            answered[number] = min(answered[number], _answering(new, models[number]))
    print(f"{len(stories)} stories, {tokens:,} tokens, best of {arguments.rounds}")
    print(f"{'':32}{'tokens/s':>10}{f'{_WORDS} words':>12}{'and answered':>15}")
    for pipeline, *seconds in zip(found, best, alone, answered, strict=True):
        speed, *waits = tokens / seconds[0], *seconds[1:]
        milliseconds = f"{1000 * waits[0]:9.0f} ms{1000 * waits[1]:12.0f} ms"
        print(f"{pipeline_name(pipeline):32}{speed:10,.0f}{milliseconds}")


def _answering(article: str, model: Model) -> float:
    begun = time.perf_counter()
    model.ask(article, _QUESTION)
    return time.perf_counter() - begun


def _seconds(stories: list[Story], pipeline: Pipeline) -> float:
    begun = time.perf_counter()
    list(annotate(stories, pipeline))
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
