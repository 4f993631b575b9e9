"""The whole paper in miniature: newsroom corpus, baselines, readers, and a page that fills up.

The paper's four readers train in processes of their own. Meanwhile this one measures the corpus,
asks a reader that comes with the package, lets the baselines and those readers answer, and writes
the page; at the end it writes the page again, with everything.
"""

import shutil
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cloze.answering import Answerer
from cloze.ask.examples import story
from cloze.baselines import BASELINES
from cloze.corpus.statistics import measure
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus
from cloze.evaluation.run import Options, run
from cloze.finding import find
from cloze.front_door import load
from cloze.names.detection import pipeline_name
from cloze.newsroom.corpus import write_newsroom
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.shipped_models import DEFAULT, shipped_models
from cloze.reporting.report import write_report
from cloze.tables import as_text
from cloze.training.side_by_side import Run, SideBySide

STORY, QUESTION = "ferry", "The X ran aground with 214 people on board"
PARSES = "frame-semantic"  # which takes a while, so it answers after the first page
# Two lines of readers train side by side; the Impatient Reader starts from the Attentive one. Most
# have fewer steps than in configs/newsroom: the aim is three minutes for everything on two cores.
LINES = (
    (("Attentive Reader", "attentive", 1_800), ("Impatient Reader", "impatient", 200)),
    (("Deep LSTM Reader", "deep_lstm", 3_600), ("Uniform Reader", "uniform", 800)),
)
FEW = 1_000  # with so few stories, perhaps none is short enough for the first stage


def demo(
    out: Path,
    *,
    stories: int,
    held_out: int,
    seed: int,
    steps: int | None,
    say: Callable[[str], None],
) -> Path:
    """Make, measure, ask, answer, train and show; returns the page."""
    pipeline_name(None)  # without one nothing can be asked: say so now
    show = Demo(out, say)
    with show.part(f"Writing {stories + 2 * held_out:,} synthetic news stories as cloze questions"):
        show.write_corpus(stories, held_out, seed)
    with SideBySide(show.runs(seed, steps, curriculum=stories >= FEW)) as trained:
        say("\n── The paper's four readers begin to train, in processes of their own")
        show.meanwhile()
        for reader in trained:
            with show.part(f"The {reader.name} is trained and answers"):
                show.answer([find(reader.out)])
    page = show.write_page()
    minutes = (time.monotonic() - show.started) / 60
    say(f"\nDone in {minutes:.1f} minutes. Open in a browser:\n{page}")
    return page


@dataclass
class Demo:
    """The folders of a demo, and its parts."""

    out: Path
    say: Callable[[str], None]
    started: float = field(default_factory=time.monotonic)

    @contextmanager
    def part(self, title: str) -> Iterator[None]:
        self.say(f"\n── {title}")
        begin = time.monotonic()
        yield
        self.say(f"   {time.monotonic() - begin:.0f} s")

    @cached_property
    def corpus(self) -> Corpus:
        return Corpus.open(self.out / "corpus")

    def write_corpus(self, stories: int, held_out: int, seed: int) -> None:
        for folder in ("runs", "predictions", "encoded"):  # of a demo before this one
            shutil.rmtree(self.out / folder, ignore_errors=True)
        write_newsroom(
            self.out / "corpus", count=stories, held_out=held_out, seed=seed, overwrite=True
        )
        encode_corpus(self.out / "corpus", self.out / "encoded")

    def meanwhile(self) -> None:
        """What needs no training; the page is worth a look before the slowest part of it."""
        with self.part("Measuring the corpus (the paper's tables 1 and 2)"):
            size, hardness = tables(measure(self.corpus))
            self.say(f"{as_text(size)}\n\n{as_text(hardness)}")
        with self.part("Asking a reader that comes with the package"):
            self.ask()
        with self.part("The baselines answer"):
            self.answer(find(name) for name in BASELINES if name != PARSES)
        with self.part("The paper's two readers that come with the package answer"):
            # The Encoder Reader, which was asked above, would take a minute for as many questions.
            readers = (find(folder) for folder in shipped_models() if folder.name != DEFAULT)
            self.answer(readers, splits=("valid",), label="trained on CNN")
        self.say(f"   {self.write_page()}: open it now, and again at the end")
        with self.part("The frame-semantic model parses and answers"):
            self.answer([find(PARSES)])

    def ask(self) -> None:
        reader = load()
        article = story(STORY)
        answer = reader.ask(article, QUESTION)
        self.say(textwrap.indent(textwrap.fill(article.article.partition("\n")[0], 90), "   "))
        self.say(f"   Question: {QUESTION}")
        for name, _, probability in answer.ranking[:3]:
            self.say(f"   {probability:7.1%}  {name}")

    def answer(
        self,
        answerers: Iterable[Answerer],
        *,
        splits: Sequence[str] = ("valid", "test"),
        label: str = "",
    ) -> None:
        for answerer in answerers:
            for split in splits:
                options = Options(attention=split == "valid")
                run(answerer, self.corpus, split, self.out / "predictions", options, label=label)

    def runs(self, seed: int, steps: int | None, *, curriculum: bool) -> list[list[Run]]:
        """The lines of readers to train, each with its overrides."""
        shared = [f"encoded={self.out / 'encoded'}", f"run.seed={seed}"]
        if not curriculum:
            shared.append("batches.curriculum=[]")
        runs = self.out / "runs"
        start = {"impatient": [f"start_from={runs / 'attentive' / 'model'}"]}

        def planned(name: str, kind: str, usual: int) -> Run:
            overrides = [*shared, *start.get(kind, [])]
            return Run(name, f"newsroom/{kind}", overrides, steps or usual, runs / kind)

        return [[planned(*reader) for reader in line] for line in LINES]

    def write_page(self) -> Path:
        with self.part("Writing the page"):
            page = write_report(
                [self.out / "predictions"], self.corpus, self.out, title="The paper in miniature"
            )
        return page
