"""How fast a corpus is built from ready spans, and from text compared with bare spaCy.

    python benchmarks/build.py news.jsonl.zst spans.jsonl.zst --workers 2 --text 200

From spans: tokens per second for the whole command (reading, names, coreference, anonymising,
questions, Parquet), and the memory of all its processes together. From text: the share of the
build's time that is spent inside spaCy, and the build's time against that of `nlp.pipe` alone, in
one process.
"""

import argparse
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.builder.sources import Columns, read_stories
from cloze.names import detection as entities
from cloze.stories import Story


class Clocked:
    """A pipeline that adds up the time spent inside it."""

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp
        self.seconds = 0.0

    def pipe(self, texts: Iterable[Any], **options: Any) -> Iterator[Any]:
        found = self.nlp.pipe(texts, **options)
        while True:
            started = time.perf_counter()
            doc = next(found, None)
            self.seconds += time.perf_counter() - started
            if doc is None:
                return
            yield doc


class Memory(threading.Thread):
    """The most memory that this process and its children have held at once."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        import os

        while not self.stopped.wait(0.1):
            pids = [os.getpid(), *_children(os.getpid())]
            self.most = max(self.most, sum(map(_resident, pids)))


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(child) for child in listed]


def _resident(pid: int) -> int:
    """The memory of the process; pages shared with others count proportionally (Linux only)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def from_spans(stories: Path, spans: Path, workers: int) -> None:
    memory = Memory()
    memory.start()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        source = Source(stories, "train", spans)
        report = build([source], Path(folder) / "corpus", name="benchmark", workers=workers)
        seconds = time.perf_counter() - started
    memory.stopped.set()
    tokens = report.tokens.total()
    print(f"from spans, {workers} workers: {report.stories:,} stories, {tokens:,} tokens")
    print(f"  {seconds:.1f} s, {tokens / seconds:,.0f} tokens/s, {memory.most / 2**20:,.0f} MiB")


def from_text(stories: Path, count: int, pipeline: str | None) -> None:
    found = read_stories(stories, Columns())
    chosen = [story for story in islice(found, count) if isinstance(story, Story)]
    nlp = entities.load_pipeline(pipeline)
    texts = ["\n\n".join((story.article, *story.highlights)) for story in chosen]
    for _ in nlp.pipe(texts[:8], batch_size=entities.BATCH):  # warm
        pass
    started = time.perf_counter()
    for _ in nlp.pipe(texts, batch_size=entities.BATCH):
        pass
    alone = time.perf_counter() - started
    clocked = Clocked(nlp)
    entities.load_pipeline = lambda *_: clocked  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "stories.jsonl"
        _write(lines, chosen)
        started = time.perf_counter()
        report = build([Source(lines, "train")], Path(folder) / "c", name="benchmark", workers=1)
        seconds = time.perf_counter() - started
    print(f"from text, one process: {len(chosen):,} stories, {report.tokens.total():,} tokens")
    print(f"  {seconds:.1f} s, of which inside spaCy {100 * clocked.seconds / seconds:.1f} %")
    print(f"  {seconds / alone:.2f} times the {alone:.1f} s of spaCy's nlp.pipe alone")


def _write(path: Path, stories: list[Story]) -> None:
    import json

    with open(path, "w") as file:
        for story in stories:
            record = {"id": story.id, "article": story.article, "highlights": story.highlights}
            print(json.dumps(record), file=file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--text", type=int, default=100, help="stories to build from text")
    parser.add_argument("--pipeline")
    arguments = parser.parse_args()
    from_spans(arguments.stories, arguments.spans, arguments.workers)
    from_text(arguments.stories, arguments.text, arguments.pipeline)
