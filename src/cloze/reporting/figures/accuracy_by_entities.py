"""Accuracy by the number of entities to choose from."""

from cloze.evaluation.metrics import Answers
from cloze.reporting.curve import Curve, ends_of_tenths, tenths
from cloze.reporting.plot import Plot


def curve(model: Answers) -> Curve:
    """Tenths of the questions by how many entities their document has."""
    return list(tenths(model, model.entities, ends_of_tenths(model.entities)))


PLOT = Plot(
    place=4,
    slug="accuracy-by-entities",
    title="Accuracy by number of entities",
    says="How many entities the document offers as candidates, in ten equal parts of the "
    "questions. More candidates make guessing harder.",
    source="not in the paper",
    x_label="entities in the document",
    y_label="accuracy",
    curve=curve,
)
