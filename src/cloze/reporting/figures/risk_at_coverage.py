"""The share of wrong answers if a model stays silent when it is not sure."""

import numpy as np
from matplotlib.axes import Axes

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, Point
from cloze.reporting.figures.precision_at_recall import precision_at_recall
from cloze.reporting.plot import Plot, in_percent


def curve(model: Answers) -> Curve:
    if model.confidence_is != "probability":
        return []
    coverage, precision = precision_at_recall(model)
    given = np.maximum(1, np.round(coverage * len(model)).astype(int))
    return [
        Point(float(c), f"{c:.0%}", float(1 - p), np.nan, np.nan, int(n), 0)
        for c, p, n in zip(coverage, precision, given, strict=True)
    ]


def finish(axes: Axes, curves: list[Curve]) -> None:
    highest = max((point.share for curve in curves for point in curve), default=1.0)
    axes.set_ylim(0, min(1.02, 1.1 * highest + 0.01))
    axes.set_xlim(0, 1.005)
    axes.xaxis.set_major_formatter(in_percent)


PLOT = Plot(
    place=7,
    slug="risk-at-coverage",
    title="Risk against coverage",
    says="The share of wrong answers (risk) if a model answers only the questions it is surest of "
    "(coverage). At 100 % it answers all. The lower the curve, the more a threshold on the "
    "probability is worth. Models whose scores are not probabilities have no curve.",
    source="not in the paper",
    x_label="questions answered (coverage)",
    y_label="answers that are wrong (risk)",
    curve=curve,
    marks=lambda model: np.zeros(0),
    finish=finish,
)
