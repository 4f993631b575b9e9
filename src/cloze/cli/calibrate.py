from pathlib import Path
from typing import Annotated

import typer


def calibrate(
    model: Annotated[
        Path, typer.Argument(help="A model's folder, or its run's; its config.json is changed.")
    ],
    predictions: Annotated[
        Path, typer.Argument(help="What it answered: a file that cloze evaluate left.")
    ],
) -> None:
    """Make a reader's probabilities honest: fit its temperature, and store what they are worth.

    The temperature goes into the model's config.json and is applied from then on to all its
    probabilities; the order of its answers does not change. With it goes a small table of how often
    answers were right, by how sure they were: from it, cloze ask and cloze serve say what a
    probability means. Both are on the model's card too.

    \b
    cloze evaluate runs/encoder cnn/ --split valid
    cloze calibrate runs/encoder predictions/encoder-reader-cnn-valid.parquet

    Use questions that the reader was not trained on. Calibrating again replaces what was there.
    """
    from cloze.cli._own_reader import own_reader
    from cloze.evaluation import calibration
    from cloze.evaluation.metrics import load
    from cloze.tables import Table, as_text

    answers = load(predictions)
    confidence = calibration.calibrate(answers)
    before, unseen = calibration.error_of(answers), calibration.error_on_unseen(answers)
    reader = own_reader(model, [answers])
    reader.calibrate(confidence)
    rows = [
        [f"{level.least:.3f}", f"{level.answers:,}", f"{100 * level.share:.1f}"]
        for level in confidence.levels
    ]
    typer.echo(as_text(Table(["probability from", "answers", "right %"], rows, align="r")))
    typer.echo(
        f"temperature {confidence.temperature:.3f}; expected calibration error (15 bins) "
        f"{before:.4f} before, {confidence.error:.4f} now, {unseen:.4f} when each half of the "
        "documents is measured under the other's temperature"
    )
    factor = confidence.temperature / float(answers.about.settings.get("temperature", 1.0))
    chance = calibration.error_by_chance(calibration.under(answers, factor).confidence)
    typer.echo(
        f"with {len(answers):,} questions, chance alone would make it {chance:.4f} if every "
        "probability were exactly right"
    )
    typer.echo(f"stored in {model}")
