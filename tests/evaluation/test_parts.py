"""An interrupted run continues where it stopped and ends with the same rows."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cloze.answering import Ranking, ranked
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.predictions import About, Predictions
from cloze.evaluation.run import Options, run

Make = Callable[..., tuple[Corpus, list[Point]]]
OPTIONS = Options(part=4, permutations=2)


class Fragile:
    """Ranks by the seed and the marker, and fails after a number of documents."""

    name, kind = "Fragile", "somebody's"

    def __init__(self, fails_after: int | None = None, **settings: object) -> None:
        self.settings = settings
        self.fails_after = fails_after
        self.seen: list[str] = []

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        for document, questions in points:
            if len(self.seen) == self.fails_after:
                raise RuntimeError("the line went dead")
            self.seen.append(document.id)
            markers = document.candidates()
            scores = [(7 * m + 3 * seed + len(q.id)) % 11 for q in questions[:1] for m in markers]
            yield [ranked(markers, scores) for _ in questions]


def rows(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return found


def timeless(path: Path) -> About:
    return replace(Predictions(path).about, made="", seconds=0)


@pytest.mark.parametrize("fails_after", [0, 1, 9, 25, 26])
def test_it_goes_on_after_what_was_finished(
    make_press: Make, tmp_path: Path, fails_after: int
) -> None:
    corpus, points = make_press(15)  # four parts, each answered under two namings
    at_once = run(Fragile(), corpus, "valid", tmp_path / "whole", OPTIONS)
    with pytest.raises(RuntimeError, match="went dead"):
        run(Fragile(fails_after), corpus, "valid", tmp_path / "out", OPTIONS)
    assert not list((tmp_path / "out").glob("*.parquet"))
    second = Fragile()
    path = run(second, corpus, "valid", tmp_path / "out", OPTIONS)
    finished = 4 * (fails_after // 8)
    names = [document.id for document, _ in points]
    assert sorted(second.seen) == sorted(2 * names[finished:])
    assert rows(path) == rows(at_once)
    assert pq.read_metadata(path).num_row_groups == pq.read_metadata(at_once).num_row_groups
    assert timeless(path) == timeless(at_once)
    assert [left.name for left in (tmp_path / "out").iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"temperature": 1}, OPTIONS),
        ({}, replace(OPTIONS, seed=1)),
        ({}, replace(OPTIONS, attention=True)),
        ({}, replace(OPTIONS, limit=20)),
        ({}, replace(OPTIONS, permutations=1)),
        ({}, replace(OPTIONS, part=5)),
    ],
)
def test_another_run_begins_anew(
    make_press: Make, tmp_path: Path, settings: dict[str, object], options: Options
) -> None:
    corpus, _ = make_press(15)
    with pytest.raises(RuntimeError, match="went dead"):
        run(Fragile(9), corpus, "valid", tmp_path, OPTIONS)
    again = Fragile(**settings)
    path = run(again, corpus, "valid", tmp_path, options)
    assert again.seen[0] == "story0"
    assert rows(path) == rows(run(Fragile(**settings), corpus, "valid", tmp_path / "w", options))


def test_another_build_of_the_corpus_begins_anew(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(15)
    with pytest.raises(RuntimeError, match="went dead"):
        run(Fragile(9), corpus, "valid", tmp_path, OPTIONS)
    other, _ = make_press(15, longest=9)
    assert other.name == corpus.name
    again = Fragile()
    run(again, other, "valid", tmp_path, OPTIONS)
    assert again.seen[0] == "story0"


KILLED = """
import os, signal, sys
from pathlib import Path
from cloze.corpus.store import Corpus
from cloze.evaluation.run import run
from tests.evaluation.test_parts import OPTIONS, Fragile

class Mortal(Fragile):
    def answer(self, points, *, seed=0, attention=False):
        for rankings in super().answer(points, seed=seed, attention=attention):
            if len(self.seen) == 12:
                os.kill(os.getpid(), signal.SIGKILL)
            yield rankings

run(Mortal(), Corpus.open(sys.argv[1]), "valid", Path(sys.argv[2]), OPTIONS)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_it_goes_on_after_a_kill(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(15)
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(corpus.path), str(out)],
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == -9
    second = Fragile()
    path = run(second, corpus, "valid", out, OPTIONS)
    assert sorted(second.seen) == sorted(2 * [document.id for document, _ in points[4:]])
    assert rows(path) == rows(run(Fragile(), corpus, "valid", tmp_path / "whole", OPTIONS))


def test_two_runs_do_not_write_one_file(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(3)

    class Nested(Fragile):
        def answer(self, points, **options):
            run(Fragile(), corpus, "valid", tmp_path, Options())
            return super().answer(points, **options)

    with pytest.raises(UserError, match="another run is writing here; wait for it"):
        run(Nested(), corpus, "valid", tmp_path, Options())


@pytest.mark.parametrize("extra", [-1, 1])
def test_answers_that_do_not_fit_the_questions_are_refused(
    make_press: Make, tmp_path: Path, extra: int
) -> None:
    corpus, _ = make_press(3)

    class Loose(Fragile):
        def answer(self, points, **options):
            for rankings in super().answer(points, **options):
                yield [rankings[0]] * (len(rankings) + extra)

    with pytest.raises(
        UserError, match=r"document story0: Fragile gave \d answers to \d questions"
    ):
        run(Loose(), corpus, "valid", tmp_path)


def test_a_kept_part_that_was_damaged_is_refused(make_press: Make, tmp_path: Path) -> None:
    """It may still be Parquet: other answers would be joined without a word."""
    corpus, _ = make_press(15)
    with pytest.raises(RuntimeError, match="went dead"):
        run(Fragile(25), corpus, "valid", tmp_path / "out", OPTIONS)
    (work,) = (tmp_path / "out").glob(".*.building")
    kept, *_ = sorted(work.glob("chunks/*.parquet"))
    table, head = pq.read_table(kept), pq.read_metadata(kept).metadata
    with pq.ParquetWriter(kept, table.schema) as file:
        file.write_table(table.take(list(reversed(range(len(table))))))
        file.add_key_value_metadata(head)
    with pytest.raises(UserError, match=rf"{kept.name}: .*(altered|truncated)") as refused:
        run(Fragile(), corpus, "valid", tmp_path / "out", OPTIONS)
    assert f"remove {work}" in str(refused.value)
