"""Precision when a model answers only what it is surest of (the paper's Figure 2)."""

import numpy as np
from matplotlib.axes import Axes

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, Point
from cloze.reporting.plot import Plot, in_percent


def precision_at_recall(model: Answers, points: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision when only the most confident answers are given.

    Recall is the share of questions answered, so at 1.0 precision is the accuracy. Answers of equal
    confidence have no order: a cut through them takes each with the same chance, so a model that is
    always equally sure has a flat curve.
    """
    order = np.argsort(-model.confidence, kind="stable")
    sure, right = model.confidence[order], model.correct[order]
    ends = np.flatnonzero(np.append(sure[1:] != sure[:-1], True)) + 1  # where each tie ends
    expected = np.interp(
        np.arange(len(sure) + 1), np.append(0, ends), np.append(0, np.cumsum(right)[ends - 1])
    )
    recall = np.arange(1, points + 1) / points
    given = np.maximum(1, np.round(recall * len(sure)).astype(int))
    return recall, expected[given] / given


def curve(model: Answers) -> Curve:
    recall, precision = precision_at_recall(model)
    given = np.maximum(1, np.round(recall * len(model)).astype(int))
    return [
        Point(float(r), f"{r:.0%}", float(p), np.nan, np.nan, int(n), 0)
        for r, p, n in zip(recall, precision, given, strict=True)
    ]


def finish(axes: Axes, _: list[Curve]) -> None:
    axes.set_xlim(0, 1.005)
    axes.xaxis.set_major_formatter(in_percent)


PLOT = Plot(
    place=1,
    slug="precision-at-recall",
    title="Precision at recall",
    says="Each model answers only the questions it is surest of. From left to right it must answer "
    "more of them, until at 100 % it answers all and precision is its accuracy. A curve that "
    "starts high and falls means that the model knows when it knows.",
    source="Figure 2",
    x_label="questions answered (recall)",
    y_label="precision",
    curve=curve,
    marks=lambda model: np.zeros(0),
    finish=finish,
)
