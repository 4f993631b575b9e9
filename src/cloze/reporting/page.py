"""The report's page, from its templates: tables, curves, heat maps, questions, checks."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from cloze.answering import VALIDATIONS
from cloze.corpus.statistics import Statistics
from cloze.corpus.statistics_table import tables
from cloze.evaluation.causes import CAUSES
from cloze.evaluation.metrics import Answers, Comparison
from cloze.language_models.forms import Form
from cloze.paper import corpus_of, corpus_title
from cloze.reporting.accuracy import AccuracyTable, neighbours, percent
from cloze.reporting.checks import check
from cloze.reporting.forms import accuracy_by_form, differences, forms_of, leak_text
from cloze.reporting.looks import Look, looks
from cloze.reporting.outcomes import language_models, outcome_table
from cloze.reporting.packing import json_for_page
from cloze.reporting.plot import Drawn
from cloze.reporting.texts import Texts
from cloze.templating import as_it_is, render


@dataclass(frozen=True)
class Split:
    """A split as the page shows it: the models' answers and everything made from them."""

    comparison: Comparison
    texts: Texts
    drawings: list[Drawn]
    data: dict[str, Any]  # for the page's script


def report_page(
    title: str,
    splits: Sequence[Split],
    table: AccuracyTable,
    forms: Mapping[str, str],
    statistics: Sequence[Statistics],
    about_page: Mapping[str, str],
) -> str:
    """forms: the accuracy table as CSV, Markdown and LaTeX by their file endings."""
    comparisons = [split.comparison for split in splits]
    return render(
        "reporting",
        "report.html",
        title=title,
        comparisons=comparisons,
        table=table,
        forms=forms,
        colours={m.name: look.colour for c in comparisons for m, look in _looked_at(c.models)},
        neighbours=[neighbours(comparison) for comparison in comparisons],
        drawings=[split.drawings for split in splits],
        any_maps=any(split.data["maps"] for split in splits),
        causes=CAUSES,
        cause_counts=[split.texts.cause_counts() for split in splits],
        shown=[len(split.texts.questions) for split in splits],
        statistics=[_statistics(found) for found in statistics],
        language_models=[_language_models(split) for split in splits],
        checks=[check(split.comparison, split.texts.chance) for split in splits],
        about_page=about_page,
        folds=[
            _fold(comparison, model) for comparison in comparisons for model in comparison.models
        ],
        style=as_it_is("reporting", "base.css", "heatmap.css", "gallery.css", "report.css"),
        script=as_it_is("reporting", "heatmap.js", "dataset.js", "report.js"),
        data=Markup(json_for_page({"datasets": [split.data for split in splits]})),
        percent=percent,
        points=_points,
        number=_number,
        scale=table.scale,
        title_of=_title_of,
        corpus_title=corpus_title,
        looked_at=_looked_at,
        base64=_base64,
    )


def _looked_at(models: Sequence[Answers]) -> list[tuple[Answers, Look]]:
    return list(zip(models, looks(models), strict=True))


def _language_models(split: Split) -> dict[str, Any] | None:
    """What came of their replies, and the forms side by side; None if there are none."""
    asked = language_models(split.comparison.models)
    if not asked:
        return None
    found = forms_of(split.comparison, split.texts.chance)
    return {
        "outcomes": outcome_table(asked),
        "by_form": accuracy_by_form(found) if found else None,
        "differences": differences(found) if found else None,
        "alone": [leak_text(each) for each in found if Form.MARKERS_ALONE in each.accuracy],
        "prompts": list(dict.fromkeys(str(m.about.settings.get("prompt", "")) for m in asked)),
    }


def _statistics(found: Statistics) -> dict[str, Any]:
    size, hardness = tables(found, corpus_of(found.name))
    if "train" not in found.splits:
        size = replace(size, rows=size.rows[:-1])  # the vocabulary is that of the training data
    return {"name": found.name, "size": size, "hardness": hardness}


def _fold(comparison: Comparison, model: Answers) -> dict[str, Any]:
    """How a file of predictions was made."""
    about = model.about
    return {
        "title": f"{model.name}, {comparison.title}",
        "facts": {
            "kind": about.kind,
            "corpus": f"{about.corpus} {about.split}, build {about.corpus_fingerprint}",
            "predictions": model.path.name,
            "answered": f"{len(model):,} questions in {about.seconds:,.1f} s",
            "when": about.made,
            "code": about.commit,
            "confidence": f"by {model.confidence_is}",
        },
        "settings": json.dumps(_without_curve(about.settings), ensure_ascii=False, indent=1),
    }


def _without_curve(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The figures draw how a model learnt; here it would be hundreds of lines."""
    training = settings.get("training")
    if not isinstance(training, dict):
        return dict(settings)
    return {**settings, "training": {k: v for k, v in training.items() if k != VALIDATIONS}}


def _title_of(comparison: Comparison) -> str:
    return f"{corpus_title(comparison.corpus)} {comparison.split}"


def _number(count: int, noun: str) -> str:
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    spelt = words[count] if count < len(words) else f"{count:,}"
    return f"{spelt.capitalize()} {noun}{'' if count == 1 else 's'}"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
