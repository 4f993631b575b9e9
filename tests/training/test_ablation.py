"""`experiments/ablation.py`: every run is a valid config with one thing changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from cloze.config import load
from cloze.training.settings import TrainSettings
from tests.scripts import EXPERIMENTS, module_of


@pytest.fixture(scope="module")
def ablation() -> Any:
    return module_of(EXPERIMENTS / "ablation.py")


def flat(values: dict[str, object], before: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in values.items():
        found |= (
            flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
        )
    return found


def settings(ablation: Any, reader: str, change: str) -> dict[str, object]:
    config, *overrides = ablation.command_of(reader, change, 1, Path("e"), Path("o"))
    found = flat(load(TrainSettings, Path(config), overrides).as_json())
    return {key: value for key, value in found.items() if key != "out"}


@pytest.mark.parametrize("reader", ["attentive", "deep_lstm"])
def test_one_thing_is_changed_in_each_run(ablation: Any, reader: str) -> None:
    usual = settings(ablation, reader, ablation.AS_IT_IS)
    seen = set()
    for change in ablation.CHANGES[reader]:
        own = settings(ablation, reader, change)
        changed = tuple(key for key in usual if own[key] != usual[key])
        if change == ablation.AS_IT_IS:
            assert not changed
        elif change == "embeddings within 0.1":
            assert changed == ("reader.embedding_init", "reader.embedding_scale")
        else:
            assert len(changed) == 1, change
        seen.add(changed)
    assert len(seen) == len(ablation.CHANGES[reader])


def test_the_table_has_the_last_validation_of_the_runs_that_are_done(
    ablation: Any, tmp_path: Path
) -> None:
    for change, seed, values in (
        (ablation.AS_IT_IS, 1, [0.2, 0.5]),
        (ablation.AS_IT_IS, 2, [0.6, 0.4]),
        ("half the rate", 1, [0.4]),
        ("half the rate", 2, []),
    ):
        run = ablation.folder_of(tmp_path, "attentive", change, seed)
        run.mkdir(parents=True)
        lines = [json.dumps({"step": k, "valid_accuracy": v}) for k, v in enumerate(values)]
        (run / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
        if values:
            (run / "model").mkdir()
    found = ablation.accuracies(tmp_path, "attentive")
    assert ablation.table(found).rows == [
        [ablation.AS_IT_IS, "50.0, 40.0", "45.0", ""],
        ["half the rate", "40.0", "40.0", "-5.0"],
    ]
    ablation.draw({"attentive": found}, tmp_path / "figure.svg")
    assert "half the rate" in (tmp_path / "figure.svg").read_text()
