"""The accuracy table in the layout of the paper's Table 5.

It has a row for each model, baselines above readers, and for each corpus a group of columns, with
valid and test in it. Each cell is the accuracy in percent with its 95 % interval; if the corpus has
the name of one of the paper's, the paper's figure is shown beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np

from cloze import paper
from cloze.answering import LANGUAGE_MODEL
from cloze.evaluation.bootstrap import Difference, Interval, difference, interval
from cloze.evaluation.calibration import error_of
from cloze.evaluation.holm import holm
from cloze.evaluation.metrics import Answers, Comparison
from cloze.paper import corpus_title, place_in_table
from cloze.reporting.outcomes import costs, outcomes
from cloze.tables import Small, Strong, Table, csv_text


@dataclass(frozen=True)
class Cell:
    ours: Interval
    paper: float | None  # percent
    ece: float | None  # expected calibration error, if the model gives probabilities
    best: bool  # of its column


@dataclass(frozen=True)
class Row:
    model: str
    kind: str
    cells: list[Cell | None]  # one for each column; None if the model was not run


@dataclass(frozen=True)
class AccuracyTable:
    columns: list[tuple[str, str]]  # (corpus, split)
    rows: list[Row]

    @property
    def has_paper(self) -> bool:
        return any(cell and cell.paper is not None for row in self.rows for cell in row.cells)

    @property
    def has_ece(self) -> bool:
        return any(cell and cell.ece is not None for row in self.rows for cell in row.cells)

    @property
    def scale(self) -> tuple[int, int]:
        """The percentages, in tens, between which all intervals and the paper's figures lie."""
        cells = [cell for row in self.rows for cell in row.cells if cell]
        low = min(100 * cell.ours.low for cell in cells)
        high = max(100 * cell.ours.high for cell in cells)
        theirs = [cell.paper for cell in cells if cell.paper is not None]
        low, high = min([low, *theirs]), max([high, *theirs])
        return 10 * floor(low / 10), max(10 * ceil(high / 10), 10 * floor(low / 10) + 10)

    @property
    def baselines(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "baseline"]

    @property
    def others(self) -> list[Row]:
        return [row for row in self.rows if row.kind != "baseline"]


@dataclass(frozen=True)
class Neighbours:
    """A model and the next best one on the same questions."""

    better: str
    worse: str
    apart: Difference
    p: float  # corrected for the number of pairs that are looked at

    @property
    def clear(self) -> bool:
        return self.p < 0.05


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
            columns[name].append(Cell(ours, theirs, error_of(model), model.accuracy == top))
    rows = [Row(name, kinds[name], columns[name]) for name in names]
    return AccuracyTable([(c.corpus, c.split) for c in comparisons], rows)


def neighbours(comparison: Comparison) -> list[Neighbours]:
    """Each model against the next best, from the best down."""
    pairs = list(pairwise(sorted(comparison.models, key=lambda model: -model.accuracy)))
    apart = [difference(a.correct, b.correct, a.documents) for a, b in pairs]
    corrected = holm([each.p for each in apart])
    return [
        Neighbours(a.name, b.name, each, p)
        for (a, b), each, p in zip(pairs, apart, corrected, strict=True)
    ]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def as_table(table: AccuracyTable) -> Table:
    """The same as a table for text, Markdown or LaTeX."""
    further = ["paper"] * table.has_paper + ["ECE"] * table.has_ece
    heads = [""]
    own: dict[str, list[str]] = {}
    for corpus, split in table.columns:
        heads += [f"{corpus_title(corpus)} {split}", "95 %", *further]
        own.setdefault(corpus, []).extend([split, "95\N{NARROW NO-BREAK SPACE}%", *further])
    groups = [("", [""]), *((corpus_title(corpus), below) for corpus, below in own.items())]
    rows = []
    for row in (*table.baselines, *table.others):
        line: list[str] = [row.model]
        for cell in row.cells:
            line += _cells(cell, further)
        rows.append(line)
    between = len(table.baselines) - 1 if table.others else -1  # the paper's rule
    return Table(heads, rows, rules={between}, groups=groups)


def _cells(cell: Cell | None, further: Sequence[str]) -> list[str]:
    if cell is None:
        return ["", "", *("" for _ in further)]
    share = percent(cell.ours.share)
    around = Small(f"[{percent(cell.ours.low)}, {percent(cell.ours.high)}]")
    shown = {
        "paper": "" if cell.paper is None else f"{cell.paper:.1f}",
        "ECE": "" if cell.ece is None else f"{cell.ece:.3f}",
    }
    return [Strong(share) if cell.best else share, around, *(shown[name] for name in further)]


def as_csv(table: AccuracyTable) -> str:
    rows: list[list[object]] = [
        ["model", "kind", "corpus", "split", "accuracy", "low", "high", "paper", "ece"]
    ]
    for row in table.rows:
        for (corpus, split), cell in zip(table.columns, row.cells, strict=True):
            if cell is not None:
                ours = [round(100 * x, 3) for x in (cell.ours.share, cell.ours.low, cell.ours.high)]
                theirs = "" if cell.paper is None else cell.paper
                ece = "" if cell.ece is None else round(cell.ece, 5)
                rows.append([row.model, row.kind, corpus, split, *ours, theirs, ece])
    return csv_text(rows)


def as_dicts(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The same for machines, with the number of questions and the time taken."""
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
                    "calibration_error": error_of(model),
                    "permutations": permutation_accuracies(model),
                    "seconds": model.about.seconds,
                    "predictions": str(model.path),
                    **_replies(model),
                }
            )
    return found


def _replies(model: Answers) -> dict[str, Any]:
    """Of a language model, what came of its replies and what they cost."""
    if model.about.kind != LANGUAGE_MODEL:
        return {}
    return {"form": model.about.settings.get("form"), "outcomes": outcomes(model)} | costs(model)


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
    apart, clear = pair.apart, "" if pair.clear else ", not clear"
    return (
        f"{pair.better} over {pair.worse}: {100 * apart.share:+.1f} points "
        f"[{100 * apart.low:+.1f}, {100 * apart.high:+.1f}], p = {pair.p:.4f}{clear}"
    )
