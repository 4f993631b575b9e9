"""The reference of a config's keys comes from the declarations alone."""

from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveInt

from cloze.config import Settings
from cloze.config_keys import Key, as_page, keys


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
        Key("house.kind", "one of tall, wide", "wide", "", ""),
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
