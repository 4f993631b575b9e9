from pathlib import Path

import pytest
from pydantic import Field

from cloze.config import Settings, load
from cloze.errors import UserError


class Inner(Settings):
    rate: float = Field(5e-5, gt=0)
    batch: int = Field(32, ge=1)


class Outer(Settings):
    hidden: int = 256
    optimiser: Inner = Inner()


def test_file_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("hidden: 64\noptimiser:\n  rate: 0.001\n")
    settings = load(Outer, path, ["optimiser.batch=8", "hidden=128"])
    assert (settings.hidden, settings.optimiser.rate, settings.optimiser.batch) == (128, 0.001, 8)
    assert load(Outer) == Outer()


def test_every_error_at_once_with_the_nearest_name(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("hiden: 64\noptimiser:\n  rate: -1\n  batch: many\n  ratee: 3\n")
    with pytest.raises(UserError) as raised:
        load(Outer, path)
    line = str(raised.value)
    assert "\n" not in line
    assert "4 errors" in line
    assert "unknown key 'hiden' (did you mean 'hidden'?)" in line
    assert "unknown key 'optimiser.ratee' (did you mean 'optimiser.rate'?)" in line
    assert "'optimiser.rate': input should be greater than 0" in line
    assert "'optimiser.batch': input should be a valid integer" in line


@pytest.mark.parametrize(
    ("content", "overrides", "message"),
    [
        ("[1, 2]", [], "a config is a mapping"),
        ("a: [", [], "not valid YAML"),
        ("", ["hidden"], "write key=value"),
        ("", ["hidden.deep=3"], "1 error"),
        ("hidden: 3", ["hidden.deep=3"], "no keys below it"),
        ("", ["hidden=[1"], "not valid YAML"),
    ],
)
def test_bad_configs(tmp_path: Path, content: str, overrides: list[str], message: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        load(Outer, path, overrides)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        load(Outer, tmp_path / "nowhere.yaml")
