"""How the models learnt: validations during the runs that trained them."""

import numpy as np
from matplotlib.axes import Axes

from cloze.answering import VALIDATIONS
from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, Point
from cloze.reporting.plot import Plot


def curve(model: Answers) -> Curve:
    """What the model's folder says of its run; nothing for models that were not trained here."""
    training = model.about.settings.get("training", {})
    seen = training.get(VALIDATIONS, []) if isinstance(training, dict) else []
    return [
        Point(float(questions), f"{questions:,.0f}", share, np.nan, np.nan, 0, 0)
        for questions, share in seen
    ]


def finish(axes: Axes, _: list[Curve]) -> None:
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.tick_params(axis="x", labelsize=8)


PLOT = Plot(
    place=8,
    slug="training",
    title="How they learnt",
    says="The accuracy on the validation part of their own corpus during training, over the number "
    "of questions read until then, the same one counted again when it was read again. The best "
    "moment of a run is the model above. Models that were not trained have no curve.",
    source="not in the paper",
    x_label="training questions read",
    y_label="accuracy on valid",
    curve=curve,
    finish=finish,
)
