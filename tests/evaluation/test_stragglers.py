"""A worker that was given up may live on: it ends without a trace after all has been finished.

Clusters do a piece of work again elsewhere if they no longer hear of a worker. Here such a worker
is a thread that stops before one of its changes to the store until everything is over.
"""

import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded import annotate, build
from cloze.builder.sources import Columns, Reading
from cloze.corpus.store import Corpus
from cloze.engines.engine import Engine
from cloze.errors import UserError
from cloze.evaluation import shared
from cloze.evaluation.answer_parts import Who
from cloze.evaluation.run import Options
from cloze.names.language import RULES
from cloze.newsroom import corpus as newsroom
from cloze.readers.encode_corpus import Encoding
from cloze.readers.encode_shards import encode_on
from tests.builder.newsroom_source import all_bytes, write_source

CHANGES = [(os, "mkdir"), (os, "replace"), (os, "open"), (io, "open")]
ENOUGH = 30  # changes of one piece of work; those that follow are made in the same way
Kind = Callable[[Path, Path, Engine], object]  # the input, the output


class Straggler(threading.Thread):
    """Does a task, but stops before a change to the store until it is told to go on."""

    def __init__(self, task: Callable[[Any], Any], item: Any, stop_before: int) -> None:
        super().__init__()
        self._do = lambda: task(item)
        self._left = stop_before
        self._go_on = threading.Event()
        self.stopped = False
        self.waits_or_ended = threading.Event()
        self.problem: Exception | None = None

    def run(self) -> None:
        try:
            self._do()
        except Exception as problem:
            self.problem = problem
        self.waits_or_ended.set()

    def before_a_change(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.stopped = True
            self.waits_or_ended.set()
            self._go_on.wait()

    def end(self) -> None:
        self._go_on.set()
        self.join()


def noticed(change: Callable[..., Any]) -> Callable[..., Any]:
    def do(*arguments: Any, **options: Any) -> Any:
        thread = threading.current_thread()
        if isinstance(thread, Straggler) and ".shards" in str(arguments[0]):
            thread.before_a_change()
        return change(*arguments, **options)

    return do


def with_stragglers(stop_before: int, made: list[Straggler]) -> Engine:
    """In each round of the work the first piece is done by a straggler, too."""

    def engine(task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        for item in items[:1]:
            made.append(Straggler(task, item, stop_before))
            made[-1].start()
            made[-1].waits_or_ended.wait()
        yield from map(task, items)

    return engine


def built(given: Path, out: Path, engine: Engine) -> None:
    source = Source(given / "news.jsonl", "train", given / "spans.jsonl")
    recipe = Recipe((source,), "news", "all", Columns(), None, "en", RULES, stories_a_shard=2)
    build.finish(recipe, out, overwrite=False, engine=engine)


def annotated(given: Path, out: Path, engine: Engine) -> None:
    about = ("rules:en", "en", Columns(), Reading(), "")
    work = annotate.Annotation(given / "news.jsonl", *about, stories_a_shard=2)
    annotate.finish(work, out, overwrite=False, engine=engine)


def encoded(given: Path, out: Path, engine: Engine) -> None:
    encode_on(Encoding(Corpus.open(given / "corpus")), out, None, engine=engine)


def answered(given: Path, out: Path, engine: Engine) -> None:
    corpus = Corpus.open(given / "corpus")
    asked = shared.Asked([Who("word-distance")], corpus, "valid", out.parent, Options(part=2))
    shared.finish(asked, engine=engine)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    write_source(folder, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newsroom, "STORIES_A_SHARD", 4)
        newsroom.write_newsroom(folder / "corpus", count=4, held_out=4, seed=3)
    return folder


@pytest.mark.parametrize("kind", [built, annotated, encoded, answered])
def test_whoever_comes_too_late_leaves_nothing(
    tmp_path: Path, given: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    kind(given, tmp_path / "calm" / "out", map)
    names = [path.name for path in (tmp_path / "calm").iterdir()]
    late = 0
    for where, name in CHANGES:
        monkeypatch.setattr(where, name, noticed(getattr(where, name)))
    for stop_before in range(1, ENOUGH + 1):
        folder, stragglers = tmp_path / str(stop_before), list[Straggler]()
        kind(given, folder / "out", with_stragglers(stop_before, stragglers))
        before = all_bytes(folder)
        for straggler in stragglers:
            straggler.end()
            late += isinstance(straggler.problem, UserError)
            assert straggler.problem is None or "meanwhile" in str(straggler.problem)
        assert [path.name for path in folder.iterdir()] == names, f"before change {stop_before}"
        assert all_bytes(folder) == before
        if not any(straggler.stopped for straggler in stragglers):
            break
    assert late > 10
