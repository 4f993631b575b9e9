"""Precision by the length of the document (the paper's Figure 4)."""

import numpy as np
from matplotlib.axes import Axes

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, document_lengths, ends_of_tenths, point, tenths
from cloze.reporting.plot import Plot

LONGEST = "longest 5 %"


def curve(model: Answers) -> Curve:
    """Each tenth of the documents by length, then the longest 5 %."""
    lengths = document_lengths(model)
    parts = tenths(model, model.document_tokens, ends_of_tenths(lengths))
    longest = model.document_tokens >= np.quantile(lengths, 0.95)
    middle = float(np.median(model.document_tokens[longest]))
    return [*parts, point(model, longest, middle, LONGEST, apart=True)]


def finish(axes: Axes, curves: list[Curve]) -> None:
    tail = curves[0][-1]
    across = axes.get_xaxis_transform()  # at the top, whatever the range
    axes.text(tail.x, 0.99, LONGEST, ha="right", va="top", fontsize=8, transform=across)


PLOT = Plot(
    place=2,
    slug="precision-by-length",
    title="Precision by document length",
    says="The documents in ten equal parts by length; each mark is the accuracy in one part. The "
    "separate mark is the longest 5 % of all documents.",
    source="Figure 4",
    x_label="document length (tokens)",
    y_label="precision",
    curve=curve,
    finish=finish,
)
