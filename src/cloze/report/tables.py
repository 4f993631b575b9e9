"""The accuracy table in the layout of the paper's Table 5: as text, Markdown, CSV and LaTeX.

A row a model, baselines above readers; a group of columns a corpus, valid and test in it. Each
cell is the accuracy in percent with its 95 % interval, and where the corpus is the paper's own by
name, the paper's figure beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cloze import paper
from cloze.evaluation.bootstrap import Difference, Interval, difference, interval
from cloze.evaluation.metrics import Answers, Comparison
from cloze.paper import place_in_table
from cloze.report.csv_text import csv_text


@dataclass(frozen=True)
class Cell:
    ours: Interval
    paper: float | None  # percent
    best: bool  # of its column


@dataclass(frozen=True)
class Row:
    model: str
    kind: str
    cells: list[Cell | None]  # one a column; None where the model was not run


@dataclass(frozen=True)
class AccuracyTable:
    columns: list[tuple[str, str]]  # (corpus, split)
    rows: list[Row]

    @property
    def has_paper(self) -> bool:
        return any(cell and cell.paper is not None for row in self.rows for cell in row.cells)


@dataclass(frozen=True)
class Neighbours:
    """A model and the next best one on the same questions."""

    better: str
    worse: str
    apart: Difference


def accuracy_table(comparisons: Sequence[Comparison]) -> AccuracyTable:
    kinds = {m.name: m.about.kind for c in comparisons for m in c.models}
    names = sorted(kinds, key=lambda name: place_in_table(name, kinds[name]))
    columns: dict[str, list[Cell | None]] = {name: [] for name in names}
    for comparison in comparisons:
        found = {model.name: model for model in comparison.models}
        top = comparison.best.accuracy
        for name in names:
            if name not in found:
                columns[name].append(None)
                continue
            model = found[name]
            theirs = paper.accuracy(model.about.model, comparison.corpus, comparison.split)
            ours = interval(model.correct, model.documents)
            columns[name].append(Cell(ours, theirs, model.accuracy == top))
    rows = [Row(name, kinds[name], columns[name]) for name in names]
    return AccuracyTable([(c.corpus, c.split) for c in comparisons], rows)


def neighbours(comparison: Comparison) -> list[Neighbours]:
    """Each model against the next best, from the best down."""
    order = sorted(comparison.models, key=lambda model: -model.accuracy)
    return [
        Neighbours(a.name, b.name, difference(a.correct, b.correct, a.documents))
        for a, b in pairwise(order)
    ]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def as_text(table: AccuracyTable) -> str:
    lines = _plain_rows(table, bold="{}")
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    text = []
    for number, line in enumerate(lines):
        cells = [
            c.ljust(w) if k == 0 else c.rjust(w)
            for k, (c, w) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
        if number == 0 or _ends_baselines(table, number - 1):
            text.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(text)


def as_markdown(table: AccuracyTable) -> str:
    head, *body = _plain_rows(table, bold="**{}**")
    rule = [":--", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body])


def as_csv(table: AccuracyTable) -> str:
    rows: list[list[object]] = [
        ["model", "kind", "corpus", "split", "accuracy", "low", "high", "paper"]
    ]
    for row in table.rows:
        for (corpus, split), cell in zip(table.columns, row.cells, strict=True):
            if cell is not None:
                ours = [round(100 * x, 3) for x in (cell.ours.share, cell.ours.low, cell.ours.high)]
                theirs = "" if cell.paper is None else cell.paper
                rows.append([row.model, row.kind, corpus, split, *ours, theirs])
    return csv_text(rows)


def as_dicts(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The same for machines, with how many questions and how long it took."""
    found = []
    for comparison in comparisons:
        for model in comparison.models:
            ours = interval(model.correct, model.documents)
            found.append(
                {
                    "model": model.name,
                    "corpus": comparison.corpus,
                    "split": comparison.split,
                    "questions": len(model),
                    "accuracy": ours.share,
                    "low": ours.low,
                    "high": ours.high,
                    "paper": paper.accuracy(model.about.model, comparison.corpus, comparison.split),
                    "permutations": permutation_accuracies(model),
                    "seconds": model.about.seconds,
                    "predictions": str(model.path),
                }
            )
    return found


def permutation_accuracies(model: Answers) -> list[float]:
    """The accuracy under each naming of the entities that was tried."""
    every = np.column_stack([model.predicted, model.permuted])
    return [float(share) for share in (every == model.answer[:, None]).mean(axis=0)]


def permutations_text(model: Answers) -> str:
    shares = permutation_accuracies(model)
    return (
        f"{model.name} under {len(shares)} namings of the entities: "
        f"mean {percent(sum(shares) / len(shares))} %, "
        f"from {percent(min(shares))} to {percent(max(shares))} %"
    )


def pair_text(pair: Neighbours) -> str:
    apart, clear = pair.apart, "" if pair.apart.p < 0.05 else ", not clear"
    return (
        f"{pair.better} over {pair.worse}: {100 * apart.share:+.1f} points "
        f"[{100 * apart.low:+.1f}, {100 * apart.high:+.1f}], p = {apart.p:.4f}{clear}"
    )


def as_latex(table: AccuracyTable) -> str:
    """A tabular for a document that loads booktabs; the interval is set small beside the figure."""
    width = 3 if table.has_paper else 2
    corpora = list(dict.fromkeys(corpus for corpus, _ in table.columns))
    spans, rules, start = [], [], 2
    for corpus in corpora:
        wide = width * sum(c == corpus for c, _ in table.columns)
        spans.append(rf"\multicolumn{{{wide}}}{{c}}{{{_tex(corpus_title(corpus))}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + wide - 1}}}")
        start += wide
    heads = [[_tex(split), r"95\,\%"] + ["paper"] * table.has_paper for _, split in table.columns]
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{('rl' + 'r' * table.has_paper) * len(table.columns)}@{{}}}}",
        r"\toprule",
        " & ".join(["", *spans]) + r" \\",
        " ".join(rules),
        " & ".join(["", *(head for group in heads for head in group)]) + r" \\",
        r"\midrule",
    ]
    for number, row in enumerate(table.rows):
        cells = [_tex(row.model)]
        for cell in row.cells:
            cells += _latex_cell(cell, table.has_paper)
        lines.append(" & ".join(cells) + r" \\")
        if _ends_baselines(table, number):
            lines.append(r"\midrule")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_cell(cell: Cell | None, with_paper: bool) -> list[str]:
    if cell is None:
        return [""] * (2 + with_paper)
    share = percent(cell.ours.share)
    around = rf"{{\scriptsize [{percent(cell.ours.low)}, {percent(cell.ours.high)}]}}"
    theirs = [] if not with_paper else [f"{cell.paper:.1f}" if cell.paper is not None else "--"]
    return [rf"\textbf{{{share}}}" if cell.best else share, around, *theirs]


def _plain_rows(table: AccuracyTable, bold: str) -> list[list[str]]:
    head = [""]
    for corpus, split in table.columns:
        head += [f"{corpus_title(corpus)} {split}", "95 %"] + ["paper"] * table.has_paper
    lines = [head]
    for row in table.rows:
        line = [row.model]
        for cell in row.cells:
            if cell is None:
                line += [""] * (2 + table.has_paper)
                continue
            share = percent(cell.ours.share)
            line += [bold.format(share) if cell.best else share]
            line += [f"[{percent(cell.ours.low)}, {percent(cell.ours.high)}]"]
            if table.has_paper:
                line += ["" if cell.paper is None else f"{cell.paper:.1f}"]
        lines.append(line)
    return lines


def _ends_baselines(table: AccuracyTable, number: int) -> bool:
    """Whether the paper's rule between benchmarks and readers goes below this row."""
    if not 0 <= number < len(table.rows) - 1:
        return False
    here, below = table.rows[number].kind, table.rows[number + 1].kind
    return here == "baseline" and below != "baseline"


def corpus_title(corpus: str) -> str:
    return paper.CORPORA.get(paper.corpus_of(corpus) or "", corpus)


def _tex(text: str) -> str:
    r"""Escape what LaTeX would read as a command.

    >>> print(_tex("50 % of a_b & c"))
    50 \% of a\_b \& c
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
