"""Accuracy by how frequent the answer is in its document (Table 2 counts how often)."""

import numpy as np
from matplotlib.axes import Axes

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, point
from cloze.reporting.plot import Plot

RANKS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, None))


def curve(model: Answers) -> Curve:
    """The answer is the most frequent entity, the second most frequent, …"""
    found = []
    for position, (first, last) in enumerate(RANKS):
        top = np.inf if last is None else last
        rows = (model.frequency_rank >= first) & (model.frequency_rank <= top)
        label = f"{first}+" if last is None else f"{first}" if first == last else f"{first}–{last}"
        if rows.any():
            found.append(point(model, rows, position, label))
    return found


def finish(axes: Axes, curves: list[Curve]) -> None:
    labels = {point.x: point.label for curve in curves for point in curve}
    axes.set_xticks(sorted(labels), [labels[x] for x in sorted(labels)])


PLOT = Plot(
    place=5,
    slug="accuracy-by-frequency",
    title="Accuracy by the answer’s frequency",
    says="Whether the right answer is the document’s most frequent entity (1), the second (2), and "
    "so on. A model that only counts does well only on the left edge.",
    source="after Table 2",
    x_label="rank of the answer by frequency in its document",
    y_label="accuracy",
    curve=curve,
    finish=finish,
)
