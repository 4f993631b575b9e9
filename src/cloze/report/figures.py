"""The paper's curves as figures: SVG and PNG files, the data as CSV, and SVG for the page.

One style for all: readers in full lines, baselines in broken ones, each model in its own colour
of a palette that colour-blind readers can tell apart (Okabe and Ito's) and with its own mark.
"""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cloze.evaluation.metrics import Answers, Comparison
from cloze.files import whole_file, write_text
from cloze.paper import row_of
from cloze.report import curves
from cloze.report.csv_text import csv_text
from cloze.report.curves import Curve

INK, RULE = "#222222", "#dddddd"
# Colour, line and mark of the paper's rows; other models take what is left, in order.
LOOKS: dict[str, tuple[str, str, str]] = {
    "Maximum frequency": ("#999999", ":", "v"),
    "Exclusive frequency": ("#e69f00", "--", "^"),
    "Frame-semantic model": ("#56b4e9", "-.", "s"),
    "Word distance model": ("#444444", "--", "D"),
    "Deep LSTM Reader": ("#009e73", "-", "P"),
    "Uniform Reader": ("#cc79a7", "-", "X"),
    "Attentive Reader": ("#d55e00", "-", "o"),
    "Impatient Reader": ("#0072b2", "-", "h"),
}
_SPARE = ["#8c6bb1", "#a6761d", "#1b7837", "#b2182b", "#2166ac", "#c7a500", "#666666", "#5ab4ac"]
_STYLE: Any = {  # matplotlib types the keys one by one
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.2,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.fonttype": "none",  # text stays text: it can be searched and takes the page's font
    "svg.hashsalt": "cloze",  # the same data give the same bytes
}
MOST_BANDS = 3  # more intervals than this over one another hide the curves
_SIZE = (4.7, 3.3)  # inches; at the width of a phone the labels are still legible


@dataclass(frozen=True)
class Plot:
    """One figure: what it shows, and how it is computed and drawn."""

    slug: str
    title: str
    says: str  # for a reader who has not the paper at hand
    source: str  # where the paper has it
    x_label: str
    curve: Callable[[Answers], Curve]
    marks: Callable[[Answers], np.ndarray] | None = None  # mark only these x
    named_ticks: bool = False


def _recall_curve(model: Answers) -> Curve:
    recall, precision = curves.precision_at_recall(model)
    given = np.maximum(1, np.round(recall * len(model)).astype(int))
    return [
        curves.Point(float(r), f"{r:.0%}", float(p), np.nan, np.nan, int(n), 0)
        for r, p, n in zip(recall, precision, given, strict=True)
    ]


PLOTS = (
    Plot(
        "precision-at-recall",
        "Precision at recall",
        "Each model answers only the questions it is surest of. From left to right it must answer "
        "more of them, until at 100 % it answers all and precision is its accuracy. A curve that "
        "starts high and falls means that the model knows when it knows.",
        "Figure 2",
        "questions answered (recall)",
        _recall_curve,
        marks=lambda model: np.zeros(0),
    ),
    Plot(
        "precision-by-length",
        "Precision by document length",
        "The documents in ten equal parts by length; each mark is the accuracy in one part. The "
        "mark that stands alone is the longest 5 % of all documents.",
        "Figure 4",
        "document length (tokens)",
        curves.by_length,
    ),
    Plot(
        "precision-up-to-length",
        "Precision up to a length",
        "Accuracy over all documents of at most N tokens; the marks are the ends of the ten parts. "
        "Where a curve is level, longer documents cost the model nothing more.",
        "Figure 5",
        "documents of at most N tokens",
        curves.up_to_length,
        marks=curves.length_deciles,
    ),
    Plot(
        "accuracy-by-entities",
        "Accuracy by number of entities",
        "How many entities the document offers as candidates, in ten equal parts of the questions. "
        "More candidates make guessing harder.",
        "not in the paper",
        "entities in the document",
        curves.by_entities,
    ),
    Plot(
        "accuracy-by-frequency",
        "Accuracy by the answer’s frequency",
        "Whether the right answer is the document’s most frequent entity (1), the second (2), and "
        "so on. A model that only counts lives on the left edge.",
        "after Table 2",
        "rank of the answer by frequency in its document",
        curves.by_frequency_rank,
        named_ticks=True,
    ),
)


def looks(models: Sequence[Answers]) -> list[tuple[str, str, str]]:
    """Colour, line and mark for each model, the same in every figure and on the page."""
    spare, chosen = iter(_SPARE * len(models)), list[tuple[str, str, str]]()
    taken: set[str] = set()
    for model in models:
        look = LOOKS.get(row_of(model.about.model) or "")
        if look is None or look[0] in taken:
            line = "--" if model.about.kind == "baseline" else "-"
            look = (next(spare), line, "oPXhDs^v"[len(chosen) % 8])
        taken.add(look[0])
        chosen.append(look)
    return chosen


def draw(plot: Plot, comparison: Comparison, data: list[Curve], *, legend: bool = True) -> Figure:
    """The figure; without the legend where the page brings its own."""
    with matplotlib.rc_context(_STYLE):
        rows = -(-len(data) // 2) if legend else 0
        figure = Figure(figsize=(_SIZE[0], _SIZE[1] + 0.19 * rows), layout="constrained")
        axes = figure.add_subplot()
        for number, (model, curve) in enumerate(zip(comparison.models, data, strict=True)):
            # On the page a band is seen only while its model is pointed at.
            with_band = not legend or len(data) <= MOST_BANDS
            look = looks(comparison.models)[number]
            _draw_model(axes, plot, model, curve, number, look, with_band)
        axes.set_xlabel(plot.x_label)
        axes.set_ylabel("precision" if plot.slug.startswith("precision") else "accuracy")
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(_percent)
        if plot.slug == "precision-at-recall":
            axes.set_xlim(0, 1.005)
            axes.xaxis.set_major_formatter(_percent)
        tails = [point.x for curve in data for point in curve if point.label == curves.LONGEST]
        if tails:
            axes.text(tails[0], 1.0, "longest 5 %", ha="right", va="top", fontsize=8)
        if plot.named_ticks:
            labels = {point.x: point.label for curve in data for point in curve}
            axes.set_xticks(sorted(labels), [labels[x] for x in sorted(labels)])
        if legend:
            figure.legend(loc="outside lower center", ncols=2)
    return figure


def _draw_model(
    axes: Axes,
    plot: Plot,
    model: Answers,
    curve: Curve,
    number: int,
    look: tuple[str, str, str],
    with_band: bool,
) -> None:
    colour, line, mark = look
    body = [point for point in curve if point.label != curves.LONGEST]
    tail = [point for point in curve if point.label == curves.LONGEST]
    x, share = [point.x for point in body], [point.share for point in body]
    shown = None
    if plot.marks is not None:
        shown = np.isin(x, plot.marks(model)).nonzero()[0].tolist()
    low, high = [point.low for point in body], [point.high for point in body]
    if with_band and not np.isnan(low).any():
        axes.fill_between(x, low, high, color=colour, alpha=0.13, lw=0, gid=f"band-{number}")
    group: dict[str, Any] = {"color": colour, "gid": f"series-{number}"}
    axes.plot(x, share, line, marker=mark, markevery=shown, label=model.name, **group)
    for point in tail:
        axes.plot([point.x], [point.share], mark, markerfacecolor="none", ms=7, **group)


def _percent(value: float, _: float) -> str:
    return f"{100 * value:.0f} %"


def _csv(comparison: Comparison, data: list[Curve]) -> str:
    head = ["model", "x", "label", "share", "low", "high", "questions", "documents"]
    rows = [
        [model.name, p.x, p.label, p.share, p.low, p.high, p.questions, p.documents]
        for model, curve in zip(comparison.models, data, strict=True)
        for p in curve
    ]
    return csv_text([head, *rows])


def save(plot: Plot, comparison: Comparison, folder: Path) -> tuple[str, str]:
    """Write SVG, PNG and CSV; returns the SVG for the page and the CSV."""
    data = [plot.curve(model) for model in comparison.models]
    figure, table = draw(plot, comparison, data), _csv(comparison, data)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, for both files
    for ending in ("svg", "png"):
        with whole_file(folder / f"{plot.slug}.{ending}") as temporary:
            with matplotlib.rc_context(_STYLE):
                date = {"Date": None} if ending == "svg" else {}
                figure.savefig(temporary, format=ending, dpi=200, metadata=date)
    write_text(folder / f"{plot.slug}.csv", table)
    return _svg_for_page(plot, comparison, data), table


def _svg_for_page(plot: Plot, comparison: Comparison, data: list[Curve]) -> str:
    """An SVG that takes its colours and font from the page, so that it follows light and dark."""
    figure = draw(plot, comparison, data, legend=False)
    buffer = io.StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'id="(series|band)-(\d+)"', r'class="\1 of-\2"', svg)
    # Ids must differ between the figures of one page.
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{plot.slug}-{comparison.slug}-", svg)
    svg = re.sub(r"#[0-9a-f]{6}\b", lambda hit: f"var(--c{hit[0][1:]}, {hit[0]})", svg)
    svg = re.sub(r'font: ([\d.]+px)[^;"]*', r"font-size: \1", svg)
    svg = re.sub(r'(<svg [^>]*?) height="[^"]*" ?', r"\1 ", svg, count=1)
    return re.sub(r'(<svg [^>]*?) width="[^"]*" ?', r'\1 role="img" ', svg, count=1)
