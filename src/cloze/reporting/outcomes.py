"""What came of a language model's replies, each reason counted apart, and what they cost."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from cloze.answering import LANGUAGE_MODEL
from cloze.errors import UserError
from cloze.evaluation.metrics import Answers
from cloze.language_models.verdict import Outcome, outcome_of
from cloze.tables import Table

_REASONS = (
    Outcome.UNPARSABLE,
    Outcome.EMPTY,
    Outcome.REFUSED,
    Outcome.CUT_OFF,
    Outcome.FAILED,
)


def language_models(models: Sequence[Answers]) -> list[Answers]:
    return [model for model in models if model.about.kind == LANGUAGE_MODEL]


def outcomes(model: Answers) -> dict[str, int]:
    """right, wrong, and each reason why a reply names no candidate; they add up to all."""
    whys = model.source.whole("why")[model.rows]
    counts = Counter(outcome_of(str(why)) for why in whys)
    right = int(model.correct.sum())
    found = {"right": right, "wrong": counts[Outcome.ANSWERED] - right}
    return found | {str(reason): counts[reason] for reason in _REASONS}


def costs(model: Answers) -> dict[str, float]:
    """Tokens in all, and the middle and the slow end of the times that replies took."""
    found = model.source.costs
    if found is None:
        raise UserError(
            "does not say what the replies cost", where=model.path, fix="evaluate again"
        )
    seconds = found["seconds"][model.rows]
    seconds = seconds[~np.isnan(seconds)]
    middle, slow = np.quantile(seconds, [0.5, 0.95]) if len(seconds) else (0.0, 0.0)
    return {
        "tokens read": float(np.nansum(found["tokens_read"][model.rows])),
        "tokens written": float(np.nansum(found["tokens_written"][model.rows])),
        "median seconds": float(middle),
        "95 % within": float(slow),
    }


def outcome_table(models: Sequence[Answers]) -> Table:
    heads = ["", "right", "wrong", *map(str, _REASONS)]
    heads += ["tokens read", "tokens written", "median seconds", "95 % within"]
    rows = []
    for model in models:
        counts = [f"{count:,}" for count in outcomes(model).values()]
        spent = [
            f"{value:,.0f}" if "tokens" in what else f"{value:.2f}"
            for what, value in costs(model).items()
        ]
        rows.append([model.name, *counts, *(spent or [""] * 4)])
    return Table(heads, rows)
