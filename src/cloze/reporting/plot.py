"""A figure of curves, one for each model: SVG, PNG and CSV files, and an SVG for the page."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cloze.evaluation.metrics import Answers, Comparison
from cloze.files import whole_file, write_text
from cloze.reporting.curve import Curve
from cloze.reporting.looks import Look, looks
from cloze.tables import csv_text

INK, RULE = "#222222", "#dddddd"
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
MOST_BANDS = 3  # more overlapping intervals than this hide the curves
_SIZE = (4.7, 3.3)  # inches; at the width of a phone the labels are still legible


@dataclass(frozen=True)
class Plot:
    """One figure: what it shows, and how it is computed and drawn."""

    place: int  # among the figures of the page
    slug: str
    title: str
    says: str  # for someone who does not have the paper at hand
    source: str  # where it is in the paper
    x_label: str
    y_label: str
    curve: Callable[[Answers], Curve]
    marks: Callable[[Answers], np.ndarray] | None = None  # mark only these x
    finish: Callable[[Axes, list[Curve]], None] | None = None  # what only this figure has


@dataclass(frozen=True)
class Drawn:
    """A figure as the page holds it."""

    plot: Plot
    svg: str
    csv: str


def draw(plot: Plot, comparison: Comparison, data: list[Curve], *, legend: bool = True) -> Figure:
    """The figure; without the legend if the page has its own."""
    with matplotlib.rc_context(_STYLE):
        rows = -(-len(data) // 2) if legend else 0
        figure = Figure(figsize=(_SIZE[0], _SIZE[1] + 0.19 * rows), layout="constrained")
        axes = figure.add_subplot()
        own = looks(comparison.models)
        for number, (model, curve) in enumerate(zip(comparison.models, data, strict=True)):
            # On the page a band is visible only while its model is pointed at.
            with_band = not legend or len(data) <= MOST_BANDS
            _draw_model(axes, plot, model, curve, number, own[number], with_band)
        axes.set_xlabel(plot.x_label)
        axes.set_ylabel(plot.y_label)
        axes.set_ylim(*_range(data))
        axes.yaxis.set_major_formatter(in_percent)
        if plot.finish is not None:
            plot.finish(axes, data)
        if legend:
            figure.legend(loc="outside lower center", ncols=2)
    return figure


def _draw_model(
    axes: Axes,
    plot: Plot,
    model: Answers,
    curve: Curve,
    number: int,
    look: Look,
    with_band: bool,
) -> None:
    if not curve:
        return
    colour, line, mark = look
    body = [point for point in curve if not point.apart]
    x, share = [point.x for point in body], [point.share for point in body]
    shown = None
    if plot.marks is not None:
        shown = np.isin(x, plot.marks(model)).nonzero()[0].tolist()
    low, high = [point.low for point in body], [point.high for point in body]
    if with_band and not np.isnan(low).any():
        axes.fill_between(x, low, high, color=colour, alpha=0.13, lw=0, gid=f"band-{number}")
    label = model.name.replace("$", r"\$")  # which would start a formula
    group: dict[str, Any] = {"color": colour, "gid": f"series-{number}"}
    axes.plot(x, share, line, marker=mark, markevery=shown, label=label, **group)
    for point in (point for point in curve if point.apart):
        axes.plot([point.x], [point.share], mark, markerfacecolor="none", ms=7, **group)


def _range(data: list[Curve]) -> tuple[float, float]:
    """Tens of percent between which all points lie, with a little room."""
    shares = [point.share for curve in data for point in curve]
    low = max(0.0, np.floor(10 * (min(shares) - 0.02)) / 10)
    return float(low), float(min(1.02, np.ceil(10 * (max(shares) + 0.02)) / 10))


def in_percent(value: float, _: float) -> str:
    """For an axis of shares."""
    return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def _csv(comparison: Comparison, data: list[Curve]) -> str:
    head = ["model", "x", "label", "share", "low", "high", "questions", "documents"]
    rows = [
        [model.name, p.x, p.label, p.share, p.low, p.high, p.questions, p.documents]
        for model, curve in zip(comparison.models, data, strict=True)
        for p in curve
    ]
    return csv_text([head, *rows])


def save(plot: Plot, comparison: Comparison, folder: Path) -> Drawn | None:
    """Write SVG, PNG and CSV; nothing where no model has a curve."""
    data = [plot.curve(model) for model in comparison.models]
    if not any(data):
        return None
    figure, table = draw(plot, comparison, data), _csv(comparison, data)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, for both files
    for ending in ("svg", "png"):
        with whole_file(folder / f"{plot.slug}.{ending}") as temporary:
            with matplotlib.rc_context(_STYLE):
                date = {"Date": None} if ending == "svg" else {}
                figure.savefig(temporary, format=ending, dpi=200, metadata=date)
    write_text(folder / f"{plot.slug}.csv", table)
    return Drawn(plot, _svg_for_page(plot, comparison, data), table)


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
