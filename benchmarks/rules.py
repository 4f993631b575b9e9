"""The processor time that each set of rules takes to prepare stories from ready spans.

    python benchmarks/rules.py STORIES SPANS --stories 400

The sets take turns in the same run, so that the ratio means something on a busy machine.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

from cloze.builder.prepare import prepare
from cloze.builder.sources import Columns, read_stories
from cloze.names.language import NEWEST_RULES, load_language
from cloze.names.spans import read_spans
from cloze.stories import Story

_ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs=2, type=Path, help="stories and their spans")
    parser.add_argument("--stories", type=int, default=400)
    arguments = parser.parse_args()
    stories, spans = arguments.paths
    pairs = zip(read_stories(stories, Columns()), read_spans(spans), strict=False)
    chosen = [
        (story, own) for story, own in islice(pairs, arguments.stories) if isinstance(story, Story)
    ]
    languages = {rules: load_language("en", rules) for rules in range(1, NEWEST_RULES + 1)}
    best = dict.fromkeys(languages, float("inf"))
    for _ in range(_ROUNDS):
        for rules, language in languages.items():
            begun = time.process_time()
            for story, own in chosen:
                prepare(story, own, language)
            best[rules] = min(best[rules], time.process_time() - begun)
    for rules, seconds in best.items():
        each = 1000 * seconds / len(chosen)
        print(f"rules {rules}: {each:.2f} ms for each story, {seconds / best[1]:.2f} of rules 1")


if __name__ == "__main__":
    main()
