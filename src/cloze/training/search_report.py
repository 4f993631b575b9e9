"""What a search leaves for people: a table, a plot, and the best config."""

from pathlib import Path
from typing import Any

import yaml
from optuna.trial import FrozenTrial, TrialState

from cloze.errors import UserError
from cloze.files import whole_file, write_text
from cloze.tables import Table, as_markdown
from cloze.training.search import Search


def report(search: Search) -> str:
    """Write table.md, plot.png and best.yaml beside the journal; return the table.

    Of several processes that end together, each looks at the trials when it is its turn to write:
    whoever looked earlier must not write later.
    """
    with search.lock("report", wait=True):
        return _written(search)


def outcome(search: Search) -> str:
    """The last line: where the best config is, if there is one."""
    states = [trial.state for trial in search.study.get_trials()]
    others = "other processes are at work on the rest"
    best = f"best config: {search.out / 'best.yaml'}"
    if TrialState.COMPLETE in states:
        return f"{best}; {others}" if TrialState.RUNNING in states else best
    if TrialState.RUNNING in states:
        return f"no trial is done yet; {others}"
    raise UserError(
        f"none of the {len(states)} trials succeeded",
        where=search.out,
        fix="table.md there says what happened to each",
    )


def _written(search: Search) -> str:
    trials = search.study.get_trials()
    done = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    table = _table(trials, list(search.settings.space))
    write_text(search.out / "table.md", table)
    if done:
        _plot(done, list(search.settings.space), search.out / "plot.png")
        _best(search, max(done, key=_accuracy))
    return table


def _accuracy(trial: FrozenTrial) -> float:
    return -1.0 if trial.value is None else float(trial.value)


def _table(trials: list[FrozenTrial], keys: list[str]) -> str:
    rows = []
    for trial in sorted(trials, key=lambda t: (-_accuracy(t), t.number)):
        minutes = trial.user_attrs.get("minutes")
        row = [
            str(trial.number),
            "" if trial.value is None else f"{trial.value:.2%}",
            "" if minutes is None else f"{minutes:.1f}",
            *(_cell(trial.params.get(key)) for key in keys),
            trial.user_attrs.get("error", "") or trial.state.name.lower(),
        ]
        rows.append(row)
    heads = ["trial", "accuracy", "minutes", *keys, "what happened"]
    return as_markdown(Table(heads, rows, align="rrrl")) + "\n"


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plot(done: list[FrozenTrial], keys: list[str], path: Path) -> None:
    """One panel per key: the accuracy of each trial over its value."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.4 * len(keys) + 0.8, 2.8), layout="constrained")
    panels = figure.subplots(1, len(keys), sharey=True, squeeze=False)[0]
    for axes, key in zip(panels, keys, strict=True):
        values = [trial.params[key] for trial in done]
        accuracies = [100 * _accuracy(trial) for trial in done]
        if any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
            values = [str(v) for v in values]
        elif min(values) > 0 and max(values) >= 10 * min(values):
            axes.set_xscale("log")
        axes.plot(values, accuracies, "o", alpha=0.7)
        axes.set_xlabel(key)
    panels[0].set_ylabel("valid accuracy, %")
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=120, format="png")


def _best(search: Search, trial: FrozenTrial) -> None:
    config = search.config(dict(trial.params)).as_json()
    del config["out"]
    path = search.out / "best.yaml"
    head = (
        f"# The best of {search.out}: trial {trial.number}, valid accuracy {trial.value:.2%}\n#\n"
        f"#   cloze train {path} out=runs/best\n\n"
    )
    write_text(path, head + yaml.safe_dump(config, sort_keys=False))
