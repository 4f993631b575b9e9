"""The page's sections about the evaluation: the corpus, the checks, how everything was made."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from cloze.corpus.statistics import Statistics
from cloze.corpus.statistics_table import tables as corpus_tables
from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import Answers, Comparison, agreement, right_together
from cloze.paper import corpus_of
from cloze.report.tables import corpus_title, percent, permutation_accuracies


def corpus(statistics: Sequence[Statistics]) -> str:
    parts = []
    for found in statistics:
        size, hardness = corpus_tables(found, corpus_of(found.name))
        if "train" not in found.splits:
            size = replace(size, rows=size.rows[:-1])  # the vocabulary is that of the training data
        parts.append(
            f'<h3>{escape(corpus_title(found.name))}</h3><div class="side">'
            + _table([size.heads, *size.rows], "Size of the evaluated splits (Table 1)")
            + _table(
                [hardness.heads, *hardness.rows],
                "How often the answer is among the N most frequent entities of its article, "
                "cumulative percentage (Table 2)",
            )
            + "</div>"
        )
    return "".join(parts) or "<p>The corpus was not at hand when this page was made.</p>"


def _table(rows: Sequence[Sequence[str]], caption: str) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return (
        f'<div><p class="caption">{caption}</p><div class="scroll"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></div>"
    )


def checks(comparison: Comparison, blind_chance: float) -> str:
    """blind_chance: of a choice among the entities that the question does not name."""
    return _controls(comparison, blind_chance) + _permutations(comparison) + _agreement(comparison)


def _controls(comparison: Comparison, blind_chance: float) -> str:
    first = comparison.models[0]
    blind = [model for model in comparison.models if "question only" in model.name.lower()]
    says = (
        f"Picking one of the article’s entities at random would be right {percent(first.chance)} % "
        "of the time, picking among those that the question does not name "
        f"{percent(blind_chance)} %. "
    )
    if blind:
        found = [interval(model.correct, model.documents) for model in blind]
        listed = "; ".join(
            f"{escape(model.name)}: {percent(i.share)} % ({percent(i.low)} – {percent(i.high)})"
            for model, i in zip(blind, found, strict=True)
        )
        says += (
            "A model that sees the question and the candidates, but no word of the article, must "
            f"do about as badly as that, or the markers give something away. {listed}."
        )
    else:
        says += (
            "No model was run with the question alone; <code>cloze evaluate … --question-only"
            "</code> does it."
        )
    outside = [
        f"{escape(model.name)} {int((model.predicted < 0).sum()):,}"
        for model in comparison.models
        if (model.predicted < 0).any()
    ]
    if outside:
        says += " Answers that were no candidate at all count as wrong: " + ", ".join(outside) + "."
    return f"<h3>Does the article matter?</h3><p>{says}</p>"


def _permutations(comparison: Comparison) -> str:
    rows = [_permutation_row(m) for m in comparison.models if m.permuted.shape[1]]
    title = "<h3>Does it matter which markers the entities get?</h3>"
    if not rows:
        return (
            f"{title}<p>Each question was answered under one naming of its entities. "
            "<code>cloze evaluate … --permutations 5</code> answers under five and compares.</p>"
        )
    head = ["", "namings", "mean accuracy", "lowest – highest", "same answer"]
    return (
        f"{title}<p>Every question was answered again with its entities named afresh. The accuracy "
        "should move no more than the interval in the table at the top of this page.</p>"
        + _table([head, *rows], "")
    )


def _permutation_row(model: Answers) -> list[str]:
    every = np.column_stack([model.predicted, model.permuted])
    shares = permutation_accuracies(model)
    same = (every[:, 1:] == every[:, :1]).mean()
    return [
        model.name,
        str(every.shape[1]),
        percent(sum(shares) / len(shares)),
        f"{percent(min(shares))} – {percent(max(shares))}",
        f"{percent(float(same))} %",
    ]


def _agreement(comparison: Comparison) -> str:
    if len(comparison.models) < 2:
        return ""
    together = right_together(comparison.models)
    shares = agreement(comparison.models)
    heads = "".join(f"<th>{k}</th>" for k in range(1, len(shares) + 1))
    rows = []
    for k, (model, row) in enumerate(zip(comparison.models, shares, strict=True)):
        cells = "".join(
            f'<td style="background:color-mix(in srgb, var(--accent) {60 * share:.0f}%, '
            f'transparent)">{100 * share:.0f}</td>'
            if other != k
            else "<td></td>"
            for other, share in enumerate(row)
        )
        rows.append(f"<tr><td>{k + 1} {escape(model.name)}</td>{cells}</tr>")
    return (
        "<h3>Do the models agree?</h3>"
        f"<p>All models are right on {percent(together['all'])} % of the questions, none is on "
        f"{percent(together['none'])} %; choosing the right model for each question would reach "
        f"{percent(together['any'])} %.</p>"
        '<p class="caption">Percentage of questions on which two models give the same answer, '
        'right or wrong</p><div class="scroll"><table class="matrix">'
        f"<thead><tr><th></th>{heads}</tr>"
        f"</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def made(comparisons: Sequence[Comparison], facts: Mapping[str, str]) -> str:
    """Facts about this page, then one fold for each file of predictions."""
    folds = []
    for comparison in comparisons:
        for model in comparison.models:
            about = model.about
            rows = {
                "kind": about.kind,
                "corpus": f"{about.corpus} {about.split}, build {about.corpus_fingerprint}",
                "predictions": model.path.name,
                "answered": f"{len(model):,} questions in {about.seconds:,.1f} s",
                "when": about.made,
                "code": about.commit,
                "confidence": f"by {model.confidence_is}",
            }
            settings = json.dumps(about.settings, ensure_ascii=False, indent=1)
            folds.append(
                f"<details><summary>{escape(model.name)}, {escape(comparison.title)}</summary>"
                f"{_facts(rows)}<pre>{escape(settings)}</pre></details>"
            )
    return _facts(facts) + "".join(folds)


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items() if v)
    return f'<dl class="made">{rows}</dl>'
