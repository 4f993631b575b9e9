"""One table in each format; the content of a cell never becomes part of the table's syntax."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.tables import Small, Strong, Table, as_latex, as_markdown, as_text, csv_text

TABLE = Table(
    ["", "CNN valid", "95 %", "CNN test", "95 %"],
    [
        ["counting", "30.5", Small("[29, 32]"), "33.2", ""],
        ["reading", Strong("61.6"), Small("[60, 63]"), Strong("63.0"), ""],
    ],
    rules={0},
    groups=[("", [""]), ("CNN", ["valid", "95 %", "test", "95 %"])],
)


def test_text_is_aligned_with_a_rule_below_the_head_and_where_asked() -> None:
    assert as_text(TABLE).splitlines() == [
        "          CNN valid      95 %  CNN test  95 %",
        "---------------------------------------------",
        "counting       30.5  [29, 32]      33.2",
        "---------------------------------------------",
        "reading        61.6  [60, 63]      63.0",
    ]


def test_markdown_sets_the_best_in_bold() -> None:
    head, rule, _, last = as_markdown(TABLE).splitlines()
    assert head == "|  | CNN valid | 95 % | CNN test | 95 % |"
    assert rule == "| --- | ---: | ---: | ---: | ---: |"
    assert last == "| reading | **61.6** | [60, 63] | **63.0** |  |"


def test_latex_has_two_rows_of_heads() -> None:
    lines = as_latex(TABLE).splitlines()
    assert lines[2:6] == [
        r" & \multicolumn{4}{c}{CNN} \\",
        r"\cmidrule(lr){2-5}",
        r" & valid & 95 \% & test & 95 \% \\",
        r"\midrule",
    ]
    assert lines[6] == r"counting & 30.5 & {\scriptsize [29, 32]} & 33.2 &  \\"
    assert lines[7] == r"\midrule"
    assert lines[8].startswith(r"reading & \textbf{61.6} &")


@pytest.mark.parametrize(("align", "sides"), [("lr", "lrrr"), ("l", "llll"), ("llr", "llrr")])
def test_the_last_letter_goes_for_the_columns_that_follow(align: str, sides: str) -> None:
    assert Table(["a", "b", "c", "d"], align=align).sides == sides


@given(st.lists(st.text(), min_size=2, max_size=4))
def test_whatever_a_cell_holds_it_stays_one_cell(cells: list[str]) -> None:
    table = Table(["head"] * len(cells), [cells])
    lines = as_markdown(table).split("\n")
    assert len(lines) == 3
    # A backslash escapes whatever follows it, including another backslash.
    bars = re.sub(r"\\.", "", lines[2]).count("|")
    assert bars == len(cells) + 1
    assert "<" not in re.sub(r"\\.", "", lines[2])
    ends = re.sub(r"\\[&%$#_{}]", "", as_latex(table)).count("&")
    assert ends == 2 * (len(cells) - 1)


@given(st.lists(st.text(st.characters(exclude_characters="\r")), min_size=2, max_size=4))
def test_csv_comes_back(cells: list[str]) -> None:
    assert list(csv.reader(io.StringIO(csv_text([cells, cells]), newline=""))) == [cells, cells]
