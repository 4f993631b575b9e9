"""A split answered in shares, on any machine and in any order, has the answers of one process."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.engines.processes import on_processes
from cloze.errors import UserError
from cloze.evaluation import answer_parts, shared
from cloze.evaluation.answer_parts import Who
from cloze.evaluation.predictions import Predictions
from cloze.evaluation.run import Options, run_all
from cloze.evaluation.sampling import sample
from cloze.evaluation.shared import Asked, answer_share, finish
from cloze.finding import find_all
from cloze.newsroom import corpus as newsroom

HERE = on_processes(1)
BASELINES = ["word-distance", "exclusive-frequency"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Five shards of validation, which no part of three documents fits."""
    folder = tmp_path_factory.mktemp("news") / "corpus"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newsroom, "STORIES_A_SHARD", 4)
        newsroom.write_newsroom(folder, count=1, held_out=18, seed=3)
    return Corpus.open(folder)


def asked(corpus: Corpus, out: Path, options: Options, words: list[str] = BASELINES) -> Asked:
    return Asked([Who(word) for word in words], corpus, "valid", out, options)


def in_shares(what: Asked, of: int) -> list[Path]:
    for number in random.Random(of).sample(range(1, of + 1), of):
        answer_share(what, number=number, of=of, engine=HERE)
    return finish(what, engine=None)


def check_same(found: list[Path], expected: list[Path]) -> None:
    assert [path.name for path in found] == [path.name for path in expected]
    for one, other in zip(found, expected, strict=True):
        assert pq.read_table(one).equals(pq.read_table(other))
        about, plain = (
            replace(Predictions(path).about, made="", commit="", seconds=0) for path in (one, other)
        )
        assert about == plain


@pytest.mark.parametrize("kind", ["all", "limit", "sample", "permutations"])
def test_shares_give_the_answers_of_one_process(tmp_path: Path, corpus: Corpus, kind: str) -> None:
    chosen = sample(corpus, "valid", 40, 1) if kind == "sample" else None
    limit = corpus.sizes("valid")[0][1] * 2 + 1 if kind == "limit" else None
    options = Options(limit, documents=chosen, permutations=1 + (kind == "permutations"), part=3)
    plain = run_all(find_all(BASELINES), corpus, "valid", tmp_path / "plain", options)
    made = in_shares(asked(corpus, tmp_path / "hand", options), 4)
    check_same(made, plain)
    assert {path.name for path in (tmp_path / "hand").iterdir()} == {p.name for p in made}
    assert Predictions(made[0]).about.model == "Word distance model"


def test_a_reader_answers_alike_in_any_share(tmp_path: Path, corpus: Corpus) -> None:
    """Each worker computes in one thread, since sums in several have other last digits."""
    options = Options(30, question_only=True, part=3)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        plain = run_all(find_all(["small"]), corpus, "valid", tmp_path / "plain", options)
    finally:
        torch.set_num_threads(before)
    check_same(in_shares(asked(corpus, tmp_path / "hand", options, ["small"]), 2), plain)
    assert torch.get_num_threads() == before


def test_killed_after_some_of_the_answerers_it_finishes_the_others(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parts of the first are gone by then; its predictions stand."""
    what = asked(corpus, tmp_path / "hand", Options(part=3))
    answer_share(what, number=1, of=1, engine=HERE)
    brought, calls = shared._brought, iter([True, False])

    def then_killed(*given: Any) -> Iterator[Path]:
        if not next(calls):
            raise KeyboardInterrupt
        return brought(*given)

    monkeypatch.setattr(shared, "_brought", then_killed)
    with pytest.raises(KeyboardInterrupt):
        finish(what, engine=None)
    monkeypatch.setattr(shared, "_brought", brought)
    paths = finish(what, engine=None)
    assert finish(what, engine=None) == paths  # and again, when nothing is left to do
    check_same(paths, run_all(find_all(BASELINES), corpus, "valid", tmp_path / "p", what.options))
    other = replace(what, options=Options(part=3, permutations=2))
    with pytest.raises(UserError, match="6 of 6 parts are not done yet"):
        finish(other, engine=None)


def test_what_is_missing_and_what_has_changed(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = asked(corpus, tmp_path, Options(part=3), BASELINES[:1])
    with pytest.raises(UserError, match=r"6 of 6 parts are not done yet \(00000"):
        finish(what, engine=None)
    assert not list(tmp_path.glob("*"))
    answer_share(what, number=2, of=2, engine=HERE)
    with pytest.raises(UserError, match=r"3 of 6 parts are not done yet \(00000"):
        finish(what, engine=None)
    monkeypatch.setattr(answer_parts, "computing", lambda _: {"processor": "another"})
    with pytest.raises(UserError, match="this machine has processor another"):
        answer_share(what, number=1, of=2, engine=HERE)
    monkeypatch.undo()
    finish(what, engine=HERE)


def test_the_command(tmp_path: Path, corpus: Corpus) -> None:
    def run(out: str, *words: str) -> str:
        given = ["evaluate", *BASELINES, str(corpus.path), "--out", str(tmp_path / out), *words]
        return CliRunner().invoke(app, given, catch_exceptions=False).output

    for number in (2, 1):
        assert f"shard {number} of 2" in run("hand", "--shard", f"{number}/2", "--workers", "1")
    assert "Word distance" in run("hand", "--finish")
    run("plain")
    names = sorted(path.name for path in (tmp_path / "plain").iterdir())
    check_same(*([tmp_path / where / name for name in names] for where in ("hand", "plain")))
    with pytest.raises(UserError, match="run on one machine"):
        run("hand", "--finish", "--wrong-article")
