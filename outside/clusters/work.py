"""The work that clusters are given, each kind of it also for one process and in shares.

    python work.py KIND FOLDER NAME ADDRESS

Small shards, and a pause in each task, so that there is time for accidents.
"""

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from cloze.builder.annotate import annotate_file
from cloze.builder.build import build_recipe
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded import annotate as annotating
from cloze.builder.sharded import build as building
from cloze.builder.sources import Columns, Reading
from cloze.corpus.store import Corpus
from cloze.engines.address import engine_at
from cloze.errors import UserError
from cloze.evaluation import shared as answering
from cloze.evaluation.answer_parts import Who, found, one_thread
from cloze.evaluation.run import Options, run
from cloze.names.language import RULES
from cloze.readers import encode_shards as encoding
from cloze.readers.encode_corpus import Encoding, encode_corpus

PAUSE = 0.5  # seconds
STORIES_A_SHARD = 40
READER = Who("attentive", device="cpu")
PARTS = Options(part=2)  # documents: some sixty parts
ALONE = "one-process"  # the folder of what is compared with


class Kind(NamedTuple):
    """Each takes the folder that everything is in and the path of the output."""

    alone: Any  # in this very process
    share: Any  # and number=, of=, engine=
    finish: Any  # and engine=


def recipe(folder):
    source = Source(folder / "news.jsonl", None, folder / "news.gold.jsonl")
    rest = ("news", "hash:valid=5,test=5", Columns(), None, "en", RULES)
    return Recipe((source,), *rest, stories_a_shard=STORIES_A_SHARD)


def annotation(folder):
    about = ("rules:en", "en", Columns(), Reading(), ".jsonl")
    return annotating.Annotation(folder / "news.jsonl", *about, stories_a_shard=STORIES_A_SHARD)


def corpus(folder):
    return Corpus.open(folder / ALONE / "build")


def asked(folder, out):
    return answering.Asked([READER], corpus(folder), "valid", out, PARTS)


def spans(out):
    out.mkdir(parents=True, exist_ok=True)
    return out / "spans.jsonl"


def answer_alone(folder, out):
    """With one thread, as every worker."""
    with one_thread(found(READER)):
        run(found(READER), corpus(folder), "valid", out, PARTS)


KINDS = {
    "build": Kind(
        lambda folder, out: build_recipe(recipe(folder), out, workers=1, overwrite=False),
        lambda folder, out, **how: building.build_share(recipe(folder), out, **how),
        lambda folder, out, engine: building.finish(
            recipe(folder), out, overwrite=False, engine=engine
        ),
    ),
    "annotate": Kind(
        lambda folder, out: annotate_file(
            folder / "news.jsonl", spans(out), pipeline="rules:en", workers=1
        ),
        lambda folder, out, **how: annotating.annotate_share(annotation(folder), spans(out), **how),
        lambda folder, out, engine: annotating.finish(
            annotation(folder), spans(out), overwrite=False, engine=engine
        ),
    ),
    "encode": Kind(
        lambda folder, out: encode_corpus(corpus(folder).path, out),
        lambda folder, out, **how: encoding.encode_share(
            Encoding(corpus(folder)), out, None, **how
        ),
        lambda folder, out, engine: encoding.encode_on(
            Encoding(corpus(folder)), out, None, engine=engine
        ),
    ),
    "evaluate": Kind(
        answer_alone,
        lambda folder, out, **how: answering.answer_share(asked(folder, out), **how),
        lambda folder, out, engine: answering.finish(asked(folder, out), engine=engine),
    ),
}


def slowly(task, item):
    time.sleep(PAUSE)
    return task(item)


def main(kind, folder, name, address):
    engine = engine_at(address, 4)

    def slow(task, items):
        return engine(partial(slowly, task), items)

    try:
        KINDS[kind].finish(Path(folder), Path(folder, name), slow)
    except UserError as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main(*sys.argv[1:])
