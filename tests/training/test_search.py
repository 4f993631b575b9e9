"""The search: the whole grid, joined, interrupted, failed and retried."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from cloze.cli.main import app
from cloze.config import load
from cloze.errors import UserError
from cloze.training import search as module
from cloze.training.search import Search
from cloze.training.search_report import report
from cloze.training.settings import TrainSettings
from cloze.training.trainer import Interrupted, Result

SEARCH = """
base: base.yaml
fixed: {run.steps: 2}
space:
  reader.hidden_size: [2, 4]
  optimiser.learning_rate: [0.01, 0.001, 0.1]
"""
BASE = """
reader: {kind: uniform, embedding_size: 4}
batches: {size: 16}
run: {steps: 9, validate_every: 2, device: cpu, threads: 1}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "search.yaml").write_text(SEARCH)
    return tmp_path


def make(files: Path, encoded: Path, name: str = "search.yaml") -> Search:
    return Search(files / name, files / "out", [f"encoded={encoded}"], lambda line: None)


def fake(accuracy: float) -> Result:
    return Result(accuracy, 1, 2, 0.5, "done", Path("model"))


def test_two_processes_share_a_real_grid(files: Path, encoded: Path) -> None:
    command = [sys.executable, "-m", "cloze", "search", str(files / "search.yaml")]
    command += [f"encoded={encoded}", "--out", str(files / "out")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    trials = make(files, encoded).study.get_trials()
    assert len({str(sorted(t.params.items())) for t in trials}) == len(trials) == 6
    assert all(t.state.name == "COMPLETE" for t in trials)
    table = (files / "out" / "table.md").read_text()
    assert table.count("complete") == 6
    assert any(table in text for text in said)
    assert (files / "out" / "plot.png").read_bytes().startswith(b"\x89PNG")
    best = load(TrainSettings, files / "out" / "best.yaml")
    winner = max(trials, key=lambda t: t.value or 0.0)
    assert best.reader.hidden_size == winner.params["reader.hidden_size"]
    assert best.run.steps == 2
    # The runs differ in what was searched over, and in nothing else.
    configs = [yaml.safe_load(p.read_text()) for p in files.glob("out/trials/*/config.yaml")]
    assert Counter(c["reader"]["hidden_size"] for c in configs) == {2: 3, 4: 3}


def test_failed_trials_are_shown_and_retried(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def flaky(settings: TrainSettings, *, resume: bool) -> Result:
        assert resume
        key = f"{settings.reader.hidden_size} {settings.optimiser.learning_rate}"
        calls[key] += 1
        if key == "2 0.01" and calls[key] == 1:
            raise RuntimeError("out of memory\nand more")
        if key == "4 0.1":
            raise UserError("never works")
        return fake(settings.optimiser.learning_rate)

    monkeypatch.setattr(module, "train", flaky)
    made = make(files, encoded)
    made.run()
    assert calls == {
        "2 0.01": 2,
        "2 0.001": 1,
        "2 0.1": 1,
        "4 0.01": 1,
        "4 0.001": 1,
        "4 0.1": 2,  # once, and once again
    }
    table = report(made)
    assert table.count("out of memory") == 1
    assert table.count("never works") == 2
    assert table.splitlines()[2].split("|")[2].strip() == "10.00%"


def test_a_search_in_which_every_trial_failed_has_no_best(files: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    given = [str(files / "search.yaml"), f"encoded={tmp_path / 'empty'}"]
    done = CliRunner().invoke(app, ["search", *given, "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, UserError)
    assert "none of the 12 trials succeeded" in str(done.exception)
    assert "best" not in done.stdout
    assert not (tmp_path / "out" / "best.yaml").exists()


def test_a_search_that_others_are_still_at_work_on_says_so(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "search.yaml").write_text(SEARCH.replace("[2, 4]", "[2]").replace("0.01, 0.001, ", ""))
    other = make(files, encoded)
    with other.lock("claim", wait=True):
        trial = other._claim()
    assert trial is not None
    with other.lock(module._name(trial.params), wait=True):
        given = [str(files / "search.yaml"), f"encoded={encoded}", "--out", str(files / "out")]
        done = CliRunner().invoke(app, ["search", *given], catch_exceptions=False)
    assert "other processes are at work on the rest" in done.output
    assert done.exit_code == 0


def test_interrupted_and_killed_trials_go_on(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs: list[Path] = []

    def interrupted(settings: TrainSettings, *, resume: bool) -> Result:
        outs.append(settings.out)
        if len(outs) == 1:
            raise Interrupted(143, None)
        return fake(0.5)

    monkeypatch.setattr(module, "train", interrupted)
    with pytest.raises(Interrupted):
        make(files, encoded).run()
    dead = make(files, encoded)
    dead.study.enqueue_trial({"reader.hidden_size": 4, "optimiser.learning_rate": 0.1})
    dead.study.ask(dead.distributions)  # as a process that was killed leaves it
    made = make(files, encoded)
    made.run()
    assert outs[0] == outs[1]  # first the trial that was started, in its own folder
    assert len(set(outs)) == 6
    states = Counter(t.state.name for t in made.study.get_trials())
    assert states == {"COMPLETE": 6, "FAIL": 2}
    assert "the process died" in report(made)


def test_tpe_stops_after_its_trials(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "tpe.yaml").write_text(
        "{base: base.yaml, sampler: tpe, trials: 4, space: "
        "{optimiser.learning_rate: {low: 0.001, high: 0.1, log: true}, reader.layers: [1, 2]}}"
    )
    monkeypatch.setattr(module, "train", lambda s, resume: fake(s.optimiser.learning_rate))
    made = make(files, encoded, "tpe.yaml")
    made.run()
    rates = [t.params["optimiser.learning_rate"] for t in made.study.get_trials()]
    assert len(set(rates)) == 4
    assert all(0.001 <= r <= 0.1 for r in rates)
    make(files, encoded, "tpe.yaml").run()
    assert len(made.study.get_trials()) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("{base: base.yaml, space: {reader.hiden: [1]}}", "unknown key 'reader.hiden'"),
        ("{base: base.yaml, space: {reader.layers: {low: 1, high: 2}}}", "is a range"),
        ("{base: base.yaml, space: {reader.layers: []}}", "has no values"),
        ("{base: base.yaml, space: {}}", "the space is empty"),
        (
            "{base: base.yaml, sampler: tpe, space: {reader.layers: [1]}}",
            "TPE has no end of its own",
        ),
        ("{base: nowhere.yaml, space: {reader.layers: [1]}}", "no such file"),
    ],
)
def test_bad_searches_are_told(files: Path, encoded: Path, change: str, message: str) -> None:
    (files / "bad.yaml").write_text(change)
    with pytest.raises(UserError, match=message):
        make(files, encoded, "bad.yaml")


def test_a_trial_whose_process_died_before_it_had_values_is_none(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It used to be taken up again and again, and the search never ended."""
    make(files, encoded).study.ask()
    monkeypatch.setattr(module, "train", lambda settings, resume: fake(0.5))
    search = make(files, encoded)
    search.run()
    states = Counter(trial.state.name for trial in search.study.get_trials())
    assert states == {"COMPLETE": 6, "FAIL": 1}


def test_half_a_line_that_a_kill_left_in_the_journal_is_cut_off(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(files, encoded)
    with open(files / "out" / "journal.log", "ab") as journal:
        journal.write(b'{"op_code": 4, "wor')
    monkeypatch.setattr(module, "train", lambda settings, resume: fake(0.5))
    make(files, encoded).run()
    assert len(make(files, encoded).study.get_trials()) == 6


def test_a_list_of_values_that_was_changed_is_another_search(
    files: Path, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "train", lambda settings, resume: fake(0.5))
    make(files, encoded).run()
    (files / "search.yaml").write_text(SEARCH.replace("[2, 4]", "[2, 8]"))
    with pytest.raises(UserError, match=r"begun with other values of reader.hidden_size"):
        make(files, encoded)
