"""The numbers behind the page's checks: controls, namings of the entities, agreement."""

from dataclasses import dataclass

import numpy as np

from cloze.evaluation.bootstrap import Interval, interval
from cloze.evaluation.metrics import Answers, Comparison, agreement, right_together
from cloze.reporting.accuracy import percent, permutation_accuracies
from cloze.tables import Table


@dataclass(frozen=True)
class Checks:
    chance: float  # of picking any entity of the article
    blind_chance: float  # of picking any that the question does not name
    blind: list[tuple[str, Interval]]  # the models that saw only the question
    outside: list[tuple[str, int]]  # models with answers that were not candidates, and how many
    namings: Table  # a row for each model that answered under several namings of the entities
    names: list[str]  # of all models
    agreement: np.ndarray  # [models, models] share of questions with the same answer
    together: dict[str, float]  # how often all models, none, or at least one is right


def check(comparison: Comparison, blind_chance: float) -> Checks:
    models = comparison.models
    blind = [model for model in models if "question only" in model.name.lower()]
    outside = [(model.name, int((model.predicted < 0).sum())) for model in models]
    heads = ["", "namings", "mean accuracy", "lowest – highest", "same answer"]
    return Checks(
        chance=models[0].chance,
        blind_chance=blind_chance,
        blind=[(model.name, interval(model.correct, model.documents)) for model in blind],
        outside=[(name, count) for name, count in outside if count],
        namings=Table(heads, [_namings(model) for model in models if model.permuted.shape[1]]),
        names=[model.name for model in models],
        agreement=agreement(models),
        together=right_together(models),
    )


def _namings(model: Answers) -> list[str]:
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
