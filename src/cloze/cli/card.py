from pathlib import Path
from typing import Annotated

import typer


def card(
    model: Annotated[Path, typer.Argument(help="A model's folder, or its run's.")],
    predictions: Annotated[
        list[Path], typer.Argument(help="What it answered: files that cloze evaluate left.")
    ],
    corpus: Annotated[
        Path | None, typer.Option(help="Where the corpus is, if it was moved since.")
    ] = None,
) -> None:
    """Write on a reader's card how well it does on what, and what it gets wrong.

    The model's README.md gets these two sections, which replace earlier ones: the accuracy on each
    split with its interval, and the wrong answers by likely cause. The accuracies also go into the
    card's head, where the Hugging Face Hub looks for them. The rest of the card stays.

    \b
    cloze evaluate runs/encoder cnn/ --split valid
    cloze card runs/encoder predictions/encoder-reader-cnn-valid.parquet
    """
    from cloze.cli._own_reader import own_reader
    from cloze.evaluation.metrics import load
    from cloze.readers.card_head import metrics
    from cloze.readers.measured import CARD, store_card
    from cloze.reporting.card_sections import accuracies, card_sections

    reader = own_reader(model, [load(path) for path in predictions])
    assert reader.directory is not None
    sections = card_sections(predictions, corpus)
    store_card(reader.directory, sections, metrics(reader.name, accuracies(predictions)))
    typer.echo("\n\n".join(f"## {heading}\n{text}" for heading, text in sections.items()))
    typer.echo(f"\nwritten to {reader.directory / CARD}")
