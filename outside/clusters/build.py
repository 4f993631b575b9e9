"""A build on a cluster: small shards, each with a pause, so that there is time for accidents.

python build.py FOLDER NAME ADDRESS
"""

import sys
import time
from functools import partial
from pathlib import Path

from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.build import finish
from cloze.builder.sources import Columns
from cloze.engines.address import engine_at
from cloze.names.language import RULES

PAUSE = 0.5  # seconds


def recipe(folder):
    source = Source(folder / "news.jsonl", None, folder / "news.gold.jsonl")
    return Recipe(
        (source,), "news", "hash:valid=5,test=5", Columns(), None, "en", RULES, stories_a_shard=40
    )


def slowly(task, item):
    time.sleep(PAUSE)
    return task(item)


if __name__ == "__main__":
    folder, name, address = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    engine = engine_at(address, 4)
    report = finish(
        recipe(folder),
        folder / name,
        overwrite=False,
        engine=lambda task, items: engine(partial(slowly, task), items),
    )
    print(report.stories, "stories,", report.rejected, "rejected")
