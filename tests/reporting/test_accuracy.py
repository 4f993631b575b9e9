"""The accuracy table in its four forms."""

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cloze.evaluation.metrics import Comparison, compare
from cloze.evaluation.predictions import About, write
from cloze.paper import TABLE_5, accuracy, row_of
from cloze.reporting.accuracy import (
    accuracy_table,
    as_csv,
    as_dicts,
    as_table,
    neighbours,
    pair_text,
)
from cloze.tables import as_latex, as_markdown, as_text
from tests.evaluation.conftest import answers_of, press

MODELS = (
    ("Impatient Reader", 0.65, "reader"),
    ("Word distance model", 0.5, "baseline"),
    ("50 % odd_name & co", 0.4, "baseline"),
    ("Maximum frequency", 0.3, "baseline"),
)


@pytest.fixture(scope="module")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> list[Comparison]:
    folder = tmp_path_factory.mktemp("tables")
    paths = []
    for corpus, split, seed in (("cnn", "test", 1), ("cnn", "valid", 2), ("press", "valid", 3)):
        points = press(40, seed=seed, longest=6)
        for k, (model, skill, kind) in enumerate(MODELS):
            if corpus == "press" and kind == "reader":
                continue
            path = folder / f"{corpus}-{split}-{k}.parquet"
            write(path, About(model, corpus, "x", split, kind=kind), answers_of(points, skill, k))
            paths.append(path)
    return compare(paths)


def test_the_papers_order_and_rule(comparisons: list[Comparison]) -> None:
    lines = as_text(as_table(accuracy_table(comparisons))).splitlines()
    firsts = [re.split(r"  +", line)[0] for line in lines]
    rule = lines[1]
    assert set(rule) == {"-"}
    names = ["Maximum frequency", "Word distance model", "50 % odd_name & co"]
    assert firsts[2:] == [*names, rule, "Impatient Reader"]
    assert re.split(r"  +", lines[0].strip())[::4] == ["CNN valid", "CNN test", "press valid"]


def test_the_papers_figures_stand_beside_ours(comparisons: list[Comparison]) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(accuracy_table(comparisons)))))
    found = {(r["model"], r["corpus"], r["split"]): r for r in rows}
    assert found["Word distance model", "cnn", "valid"]["paper"] == "50.5"
    assert found["Impatient Reader", "cnn", "test"]["paper"] == "63.8"
    assert found["Word distance model", "press", "valid"]["paper"] == ""
    assert ("Impatient Reader", "press", "valid") not in found
    for comparison in comparisons:
        for model in comparison.models:
            row = found[model.name, comparison.corpus, comparison.split]
            assert float(row["accuracy"]) == pytest.approx(100 * model.accuracy, abs=1e-3)
            assert float(row["low"]) < float(row["accuracy"]) < float(row["high"])


def test_markdown_has_as_many_cells_in_every_row(comparisons: list[Comparison]) -> None:
    lines = as_markdown(as_table(accuracy_table(comparisons))).splitlines()
    assert {line.count("|") for line in lines} == {1 + 1 + 3 * 4}
    assert sum("**" in line for line in lines) >= 2  # the best of each column


def test_latex_is_well_formed(comparisons: list[Comparison]) -> None:
    tex = as_latex(as_table(accuracy_table(comparisons)))
    (spec,) = re.findall(r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}", tex)
    assert tex.count(r"\begin{") == tex.count(r"\end{") == 1
    assert tex.count("{") == tex.count("}")
    body = [line for line in tex.splitlines() if line.endswith(r"\\")]
    for line in body:
        spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
        cells = len(re.findall(r"(?<!\\)&", line)) + 1
        assert cells + sum(spans) - len(spans) == len(spec)
    assert r"50 \% odd\_name \& co" in tex
    ends = [int(n) for n in re.findall(r"\\cmidrule\(lr\)\{\d+-(\d+)\}", tex)]
    assert ends[-1] == len(spec)
    assert tex.count(r"\midrule") == 2


def test_latex_compiles(comparisons: list[Comparison], tmp_path: Path) -> None:
    program = next(filter(shutil.which, ("pdflatex", "tectonic", "lualatex", "xelatex")), None)
    if program is None:
        pytest.skip("no LaTeX here (pdflatex, tectonic, lualatex or xelatex)")
    page = tmp_path / "table.tex"
    page.write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
        + as_latex(as_table(accuracy_table(comparisons)))
        + "\\end{document}\n"
    )
    flags = [] if program == "tectonic" else ["-halt-on-error", "-interaction=nonstopmode"]
    done = subprocess.run([program, *flags, page.name], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 1000


def test_neighbours_go_from_the_best_down(comparisons: list[Comparison]) -> None:
    pairs = neighbours(comparisons[0])
    accuracies = {model.name: model.accuracy for model in comparisons[0].models}
    chain = [pairs[0].better, *(pair.worse for pair in pairs)]
    assert [accuracies[name] for name in chain] == sorted(accuracies.values(), reverse=True)
    assert all(pair.apart.share >= 0 for pair in pairs)
    assert "points [" in pair_text(pairs[0])


def test_dicts_for_machines(comparisons: list[Comparison]) -> None:
    found = as_dicts(comparisons)
    assert len(found) == 4 + 4 + 3
    assert found[0]["permutations"] == [found[0]["accuracy"]]


def test_names_of_the_papers_rows() -> None:
    assert [row_of(row.lower().replace(" ", "_")) for row in TABLE_5] == list(TABLE_5)
    assert accuracy("Attentive Reader", "Daily Mail", "test") == 69.0
    assert accuracy("Attentive Reader", "cnn", "train") is None
    assert accuracy("Something else", "cnn", "valid") is None
