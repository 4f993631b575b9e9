"""Runs in processes of their own: lines side by side, in order within a line, stopped together."""

import time
from pathlib import Path

import pytest

from cloze.errors import UserError
from cloze.readers.reader import Reader
from cloze.training.side_by_side import Run, SideBySide
from tests.training.corpora import write_encoded

CONFIG = """
reader: {kind: attentive, hidden_size: 4, embedding_size: 4}
batches: {size: 16}
run: {validate_every: 2, log_every: 1, device: cpu}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_encoded(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path / "config.yaml"


def planned(config: Path, name: str, *overrides: str, steps: int = 2) -> Run:
    folder = config.parent
    given = [f"encoded={folder / 'encoded'}", *overrides]
    return Run(name, str(config), given, steps, folder / "runs" / name)


def test_a_run_can_start_from_the_one_before_it_in_its_line(config: Path) -> None:
    start = f"start_from={config.parent / 'runs' / 'first' / 'model'}"
    lines = [
        [planned(config, "first"), planned(config, "second", "reader.kind=impatient", start)],
        [planned(config, "beside", "reader.kind=uniform")],
    ]
    with SideBySide(lines) as trained:
        names = [run.name for run in trained]
    assert sorted(names) == ["beside", "first", "second"]
    assert names.index("first") < names.index("second")
    kinds = [Reader.from_pretrained(run.out / "model").config.kind for run in lines[0] + lines[1]]
    assert kinds == ["attentive", "impatient", "uniform"]


def test_a_run_that_fails_ends_all_with_its_message(config: Path) -> None:
    lines = [[planned(config, "bad", "reader.kind=odd")], [planned(config, "long", steps=10**6)]]
    side_by_side = SideBySide(lines)
    with pytest.raises(UserError, match=r"training the bad failed \(.*odd") as caught:
        with side_by_side as trained:
            next(trained)
    assert str(config.parent / "runs" / "bad.log") in str(caught.value)
    assert all(process.poll() is not None for process in side_by_side._processes)


def test_leaving_early_stops_what_runs_and_starts_nothing_more(config: Path) -> None:
    line = [planned(config, "long", steps=10**6), planned(config, "never")]
    with SideBySide([line]):
        while not line[0].log.exists():
            time.sleep(0.01)
    assert not line[1].log.exists()
