"""The whole paper in miniature: newsroom corpus, baselines, readers, report."""

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from cloze.answering import Answerer
from cloze.config import load
from cloze.corpus.statistics import measure
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus
from cloze.evaluation.run import Options, run
from cloze.finding import find
from cloze.newsroom.corpus import write_newsroom
from cloze.reporting.report import write_report
from cloze.shipped_configs import find_config
from cloze.tables import as_text
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

BASELINES = (
    "maximum-frequency",
    "exclusive-frequency",
    "word-distance",
    "question-only",
    "first-mention",
)
READERS = ("deep_lstm", "uniform", "attentive", "impatient")  # the last starts from the one before
FEW = 1_000  # with so few stories, perhaps none is short enough for the first stage
T = TypeVar("T")


def demo(
    out: Path,
    *,
    stories: int,
    held_out: int,
    seed: int,
    steps: int | None,
    say: Callable[[str], None],
) -> Path:
    """Make, measure, answer, train and show; returns the page."""
    started = time.monotonic()

    def part(title: str, work: Callable[[], T]) -> T:
        say(f"\n── {title}")
        begin = time.monotonic()
        result = work()
        say(f"   {time.monotonic() - begin:.0f} s")
        return result

    corpus_path, runs, predictions = out / "corpus", out / "runs", out / "predictions"
    for folder in (runs, predictions, out / "encoded"):  # of a demo before this one
        shutil.rmtree(folder, ignore_errors=True)
    part(
        f"Writing {stories + 2 * held_out:,} synthetic news stories as cloze questions",
        lambda: write_newsroom(
            corpus_path, count=stories, held_out=held_out, seed=seed, overwrite=True
        ),
    )
    corpus = Corpus.open(corpus_path)
    found = part("Measuring the corpus (the paper's tables 1 and 2)", partial(measure, corpus))
    size, hardness = tables(found)
    say(f"{as_text(size)}\n\n{as_text(hardness)}")
    for baseline in map(find, BASELINES):
        part(baseline.name, partial(_answer, baseline, corpus, predictions))
    for name in READERS:
        overrides = [
            f"corpus={corpus_path}",
            f"encoded={out / 'encoded'}",
            f"out={runs / name}",
            f"run.seed={seed}",
        ]
        if name == "impatient":
            overrides.append(f"start_from={runs / 'attentive' / 'model'}")
        if steps is not None:
            overrides.append(f"run.steps={steps}")
        if stories < FEW:
            overrides.append("batches.curriculum=[]")
        settings = load(TrainSettings, find_config(f"newsroom/{name}"), overrides)
        result = part(f"Training the {settings.reader.name}", partial(train, settings))
        reader = find(result.model)
        part(f"{reader.name}: its answers", partial(_answer, reader, corpus, predictions))
    page = part(
        "Writing the report",
        lambda: write_report([predictions], corpus, out, title="The paper in miniature"),
    )
    say(f"\nDone in {(time.monotonic() - started) / 60:.1f} minutes. Open in a browser:\n{page}")
    return page


def _answer(answerer: Answerer, corpus: Corpus, folder: Path) -> None:
    for split in ("valid", "test"):
        run(answerer, corpus, split, folder, Options(attention=split == "valid"))
