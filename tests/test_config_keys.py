"""The reference of a config's keys comes only from the declarations."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveInt

from cloze.config import Settings
from cloze.config_keys import Key, as_page, keys
from cloze.readers.registry import kinds
from cloze.training.settings import TrainSettings


class Stage(Settings):
    steps: PositiveInt  # how long it lasts


class Common(Settings):
    kind: str
    size: PositiveInt = 4  # units


class Tall(Common):
    kind: Literal["tall"] = "tall"
    # Floors, the ground
    # floor included.
    floors: int | None = Field(None, ge=2)


class Wide(Common):
    kind: Literal["wide"] = "wide"


class Whole(Settings):
    out: Path = Path("run")  # where it goes: "#1" and ≥ 1 more
    rate: float = Field(0.5, gt=0, lt=1)
    house: Common = Wide()
    stages: tuple[Stage, ...] = ()


def test_every_key_with_type_default_range_and_meaning() -> None:
    found = list(keys(Whole, {"house": {"tall": Tall, "wide": Wide}}))
    assert found == [
        Key("out", "path", "run", "", 'where it goes: "#1" and ≥ 1 more'),
        Key("rate", "number", "0.5", "> 0, < 1", ""),
        Key("house.kind", "one of tall, wide", "wide", "", "which keys there are below"),
        Key("house.size", "whole number", "4", "> 0", "units"),
        Key(
            "house.floors",
            "whole number or null",
            "null",
            "≥ 2",
            "tall only: Floors, the ground floor included.",
        ),
        Key("stages", "list", "[]", "", ""),
        Key("stages[].steps", "whole number", "required", "> 0", "how long it lasts"),
    ]


def test_the_page_has_a_table_for_each_section() -> None:
    page = as_page("A house", keys(Whole, {"house": {"wide": Wide}}))
    assert page.startswith("# A house\n\n| key | type |")
    assert "\n## house\n\n| key |" in page
    assert r"| rate | number | 0.5 | > 0, \< 1 |  |" in page


def test_every_key_of_a_training_config_is_explained() -> None:
    readers = {name: kind.config for name, kind in kinds().items()}
    found = list(keys(TrainSettings, {"reader": readers}))
    assert len(found) > 50
    assert [key.name for key in found if not key.meaning.rpartition("only: ")[2]] == []


def test_the_documented_keys_are_those_that_the_command_prints() -> None:
    command = [sys.executable, "-X", "utf8", "-m", "cloze", "train", "--keys"]
    printed = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    documented = Path(__file__).parents[1] / "docs" / "config.md"
    assert documented.read_text(encoding="utf-8") == printed.stdout, (
        "write it again: cloze train --keys > docs/config.md"
    )
