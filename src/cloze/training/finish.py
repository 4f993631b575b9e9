"""The end of a run: the best reader as a model directory, with its card and its curves."""

from pathlib import Path
from typing import Any

import torch

from cloze.answering import VALIDATIONS
from cloze.files import whole_file
from cloze.readers.reader import Reader
from cloze.readers.registry import blank
from cloze.readers.saving import CURVES
from cloze.readers.tensor_files import check_fit
from cloze.tables import Table, as_markdown
from cloze.training.checkpoints import STATE, WEIGHTS, Checkpoints, read
from cloze.training.data import TrainingData
from cloze.training.in_few_bits import InFewBits
from cloze.training.journal import METRICS, read_metrics
from cloze.training.order import Order
from cloze.training.resuming import State
from cloze.training.settings import BatchSettings, TrainSettings


def leave_model(
    settings: TrainSettings,
    data: TrainingData,
    checkpoints: Checkpoints,
    directory: Path,
    order: Order,
    *,
    reason: str,
) -> None:
    """Write the reader of the best validation to `directory`."""
    best = read(checkpoints.best)
    State.check(best.state, where=checkpoints.best / STATE)
    config = settings.reader
    network = blank(config, len(data.vocabulary))
    check_fit(network.state_dict(), best.weights, checkpoints.best / WEIGHTS)
    network.load_state_dict(best.weights)
    bits = settings.run.bits
    if bits is not None:  # what was validated is what is left
        InFewBits(network, config, data.vocabulary.first_word, bits).round()
    optimiser = settings.optimiser
    about: dict[str, Any] = {
        "corpus": data.name,
        "language": data.language,
        "training questions": len(data.train),
        "valid accuracy": round(best.state["best_accuracy"], 4),
        "at step": best.state["best_step"],
        "minutes of training until then": round(best.state["minutes"], 2),
        "optimiser": f"{optimiser.name}, rate {optimiser.learning_rate:g}, {optimiser.schedule}",
        "batch": _batch(settings.batches),
        "seed": settings.run.seed,
        "precision": settings.run.precision,
        "pytorch": torch.__version__,
        "ended because": reason,
    }
    if settings.teacher.reader is not None:
        sha256 = best.state.get("teacher_sha256")
        about["teacher"] = f"{settings.teacher.reader}, sha256 of its weights {sha256}"
    if settings.run.average is not None:
        about["mean of the weights"] = f"running, with a decay of {settings.run.average:g}"
    if bits is not None:
        told = f"rounded to {bits} bits in training: cloze prune --bits {bits} changes nothing"
        about["weights"] = told
    lines = read_metrics(settings.out / METRICS)
    about[VALIDATIONS] = [
        [order.read_before(line["step"]), round(line["valid_accuracy"], 4)]
        for line in lines
        if "valid_accuracy" in line
    ]
    sections = {"Evaluate": f"```\n{evaluate_command(settings)}\n```", "Validation": _table(lines)}
    drawn = _matplotlib() is not None
    if drawn:
        sections["Curves"] = f"![Loss and accuracy over the steps]({CURVES})"
    reader = Reader(config, data.vocabulary, network, about=about)
    reader.save_pretrained(directory, overwrite=True, sections=sections)
    if drawn:
        draw_curves(lines, directory / CURVES)


def _batch(batches: BatchSettings) -> str:
    if batches.tokens is None:
        return f"{batches.size:,} questions"
    return f"up to {batches.tokens:,} tokens"


def evaluate_command(settings: TrainSettings) -> str:
    corpus = settings.corpus or "CORPUS"
    return f"cloze evaluate {settings.out / 'model'} {corpus} --split test"


def _table(lines: list[dict[str, Any]]) -> str:
    wanted = {"minutes", "valid_accuracy", "valid_loss"}
    rows = [line for line in lines if wanted <= line.keys()]
    every = -(-len(rows) // 20)  # a long run's table is thinned to some twenty rows
    shown = rows[:: every or 1]
    cells = [
        [
            f"{row['step']:,}",
            f"{row['minutes']:.1f}",
            f"{row['valid_accuracy']:.2%}",
            f"{row['valid_loss']:.3f}",
        ]
        for row in (shown if not rows or shown[-1] is rows[-1] else [*shown, rows[-1]])
    ]
    return as_markdown(Table(["step", "minutes", "accuracy", "loss"], cells, align="r"))


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:  # a training machine may not have it
        return None
    return matplotlib


def draw_curves(lines: list[dict[str, Any]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, key, where, label in (
        (left, "loss", "loss", "training"),
        (left, "valid_loss", "loss", "validation"),
        (right, "valid_accuracy", "accuracy", "validation"),
    ):
        points = [(line["step"], line[key]) for line in lines if key in line]
        if points:
            axes.plot(*zip(*points, strict=True), label=label)
            axes.legend(frameon=False)
        axes.set(xlabel="step", ylabel=where)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=120, format="png")
