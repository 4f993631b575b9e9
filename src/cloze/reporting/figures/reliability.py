"""How often answers were right, by how sure the model was of them."""

import numpy as np
from matplotlib.axes import Axes

from cloze.evaluation.calibration import BINS, bins_of
from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, point
from cloze.reporting.plot import INK, Plot, in_percent


def curve(model: Answers) -> Curve:
    """The bins of the expected calibration error, each at the mean probability of its answers."""
    if model.confidence_is != "probability":
        return []
    sure = np.clip(model.confidence, 0, 1)
    bins = bins_of(sure)
    return [
        point(model, bins == k, sure[bins == k].mean(), f"{k / BINS:.2f}–{(k + 1) / BINS:.2f}")
        for k in np.unique(bins)
    ]


def finish(axes: Axes, _: list[Curve]) -> None:
    axes.plot([0, 1], [0, 1], color=INK, lw=0.7, ls=(0, (2, 3)))
    axes.set_xlim(0, 1.005)
    axes.set_ylim(0, 1.02)  # the dotted line goes from corner to corner
    axes.xaxis.set_major_formatter(in_percent)


PLOT = Plot(
    place=6,
    slug="reliability",
    title="Reliability",
    says="The answers in 15 bins of equal width by their probability. On the dotted line a model "
    "is right as often as it says; below it, it is surer than it should be. Models whose scores "
    "are not probabilities have no curve.",
    source="not in the paper",
    x_label="probability of the answer",
    y_label="share that was right",
    curve=curve,
    finish=finish,
)
