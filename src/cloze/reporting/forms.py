"""What a language model knew before it read: one question in several forms, side by side.

    reading             markers, with the article over without it
    knowledge           the article with the real names over the same with other names
    guessing            the real names without the article, over chance
    cost of markers     the article with other names over the same with markers

Differences are over the same questions, with the bootstrap over documents (`bootstrap`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cloze.answering import LANGUAGE_MODEL
from cloze.baselines.controls import chance
from cloze.corpus.store import Corpus
from cloze.evaluation.bootstrap import Interval, difference, interval
from cloze.evaluation.metrics import Answers, Comparison
from cloze.language_models.forms import Form
from cloze.tables import Table

_PAIRS = (
    ("reading", Form.MARKERS, Form.MARKERS_ALONE),
    ("knowledge", Form.NAMES, Form.SWAPPED),
    ("cost of markers", Form.SWAPPED, Form.MARKERS),
)
_TITLES = {form: form.wording or "markers" for form in Form}


@dataclass(frozen=True)
class FormsOfModel:
    model: str
    accuracy: dict[Form, Interval]
    apart: dict[str, Interval]  # reading, knowledge, cost of markers, guessing
    chance: float

    @property
    def leak(self) -> bool:
        """Markers without the article beat chance: something gives answers away."""
        alone = self.accuracy.get(Form.MARKERS_ALONE)
        return alone is not None and alone.low > self.chance


def forms_of(comparison: Comparison, blind: float) -> list[FormsOfModel]:
    """The models of the comparison that answered in more than one form.

    blind: the chance of picking right among the candidates that the question does not name.
    """
    groups: dict[tuple[str, str], dict[Form, Answers]] = {}
    for model in comparison.models:
        if model.about.kind == LANGUAGE_MODEL and "form" in model.about.settings:
            settings = model.about.settings
            key = (str(settings.get("endpoint")), str(settings.get("model")))
            groups.setdefault(key, {})[Form(settings["form"])] = model
    return [
        _compared(key[1], forms, blind) for key, forms in sorted(groups.items()) if len(forms) > 1
    ]


def blind_chance(comparison: Comparison, corpus: Corpus) -> float:
    """Of picking, for each question, one of the candidates that it does not name."""
    wanted = set(comparison.models[0].question_ids)
    points = corpus.read(comparison.split)
    shares = [chance(d, q) for d, questions in points for q in questions if q.id in wanted]
    return float(np.mean(shares))


def _compared(name: str, forms: dict[Form, Answers], blind: float) -> FormsOfModel:
    accuracy = {
        form: interval(forms[form].correct, forms[form].documents) for form in Form if form in forms
    }
    apart = {}
    for what, more, less in _PAIRS:
        if more in forms and less in forms:
            found = difference(forms[more].correct, forms[less].correct, forms[more].documents)
            apart[what] = Interval(found.share, found.low, found.high)
    if Form.NAMES_ALONE in accuracy:
        alone = accuracy[Form.NAMES_ALONE]
        apart["guessing"] = Interval(*(x - blind for x in (alone.share, alone.low, alone.high)))
    return FormsOfModel(name, accuracy, apart, blind)


def accuracy_by_form(found: Sequence[FormsOfModel]) -> Table:
    rows = [
        [
            each.model,
            *(_percent(each.accuracy.get(form)) for form in Form),
            f"{100 * each.chance:.1f}",
        ]
        for each in found
    ]
    return Table(["", *(_TITLES[form] for form in Form), "chance"], rows)


def differences(found: Sequence[FormsOfModel]) -> Table:
    columns = ("reading", "knowledge", "guessing", "cost of markers")
    rows = [[each.model, *(_points(each.apart.get(what)) for what in columns)] for each in found]
    return Table(["", *columns], rows)


def leak_text(found: FormsOfModel) -> str:
    alone = found.accuracy[Form.MARKERS_ALONE]
    figures = f"({_percent(alone)} against {100 * found.chance:.1f})"
    if found.leak:
        return (
            f"{found.model} answers markers without the article better than chance {figures}: the "
            "questions, or the order and numbers of their markers, give something away"
        )
    if alone.high < found.chance:
        return (
            f"{found.model} is below chance on markers without the article {figures}: it gives no "
            "answer, or one that the question itself names"
        )
    return f"{found.model} is at chance on markers without the article {figures}, as it must be"


def _percent(found: Interval | None) -> str:
    if found is None:
        return ""
    return f"{100 * found.share:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _points(found: Interval | None) -> str:
    if found is None:
        return ""
    numbers = np.round([100 * found.share, 100 * found.low, 100 * found.high], 1) + 0.0  # no -0.0
    return "{:+.1f} [{:+.1f}, {:+.1f}]".format(*numbers)
