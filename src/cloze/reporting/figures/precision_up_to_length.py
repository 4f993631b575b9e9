"""Precision over all documents up to a length (the paper's Figure 5)."""

import numpy as np

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, document_lengths, ends_of_tenths, point
from cloze.reporting.plot import Plot


def curve(model: Answers, points: int = 40) -> Curve:
    """All documents of at most N tokens, N running over the quantiles of the lengths."""
    shares = np.arange(1, points + 1) / points
    cuts = np.unique(np.quantile(document_lengths(model), shares, method="higher"))
    return [point(model, model.document_tokens <= n, float(n), f"≤ {n:.0f}") for n in cuts]


def marks(model: Answers) -> np.ndarray:
    """The lengths at the ends of the tenths, where the paper has its marks."""
    return ends_of_tenths(document_lengths(model))


PLOT = Plot(
    place=3,
    slug="precision-up-to-length",
    title="Precision up to a length",
    says="Accuracy over all documents of at most N tokens; the marks are the ends of the ten "
    "parts. Where a curve is level, longer documents cost the model nothing more.",
    source="Figure 5",
    x_label="documents of at most N tokens",
    y_label="precision",
    curve=curve,
    marks=marks,
)
