"""Rules for splits."""

from collections import Counter
from pathlib import Path

import pytest

from cloze.corpus.splits import parse_rule
from cloze.errors import UserError
from cloze.stories import Story


def story(id: str = "x", date: str | None = None) -> Story:
    return Story(id, "", (), date=date)


def test_by_month() -> None:
    split_of = parse_rule("months:valid=2015-03,test=2015-04")
    assert split_of(story(date="2015-03-31")) == "valid"
    assert split_of(story(date="2015-04")) == "test"
    assert split_of(story(date="2007-04-01")) == "train"
    assert split_of(story(date=None)) is None
    assert split_of(story(date="March 2015")) is None


def test_by_ids(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a\nb\n")
    split_of = parse_rule(f"ids:valid={tmp_path}/v.txt")
    assert [split_of(story(i)) for i in "abc"] == ["valid", "valid", "train"]


def test_by_hash_is_stable_and_in_proportion() -> None:
    split_of = parse_rule("hash:valid=10,test=20")
    found = [split_of(story(f"story {i}")) for i in range(5000)]
    assert found == [split_of(story(f"story {i}")) for i in range(5000)]
    shares = Counter(found)
    assert shares["valid"] / 5000 == pytest.approx(0.1, abs=0.02)
    assert shares["test"] / 5000 == pytest.approx(0.2, abs=0.02)


def test_one_name() -> None:
    assert parse_rule("test")(story()) == "test"


@pytest.mark.parametrize(
    "rule",
    [
        "Months",
        "weeks:valid=3",
        "months:valid",
        "months:valid=March",
        "hash:valid=x",
        "hash:valid=90,test=20",
        "hash:valid=-1",
        "ids:valid=/no/such/file",
        "hash:../x=5",
    ],
)
def test_bad_rules(rule: str) -> None:
    with pytest.raises(UserError):
        parse_rule(rule)
