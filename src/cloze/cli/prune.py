from pathlib import Path
from typing import Annotated, Literal, cast

import typer


def prune(
    model: Annotated[
        Path, typer.Argument(help="A model folder, or the name of a reader that ships.")
    ],
    out: Annotated[Path, typer.Argument(help="Where the smaller model goes.")],
    words: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many words (or word pieces) to keep. Default: 20,000 words, or all pieces.",
        ),
    ] = None,
    counted_on: Annotated[
        Path | None,
        typer.Option(help="An encoded corpus whose frequent word pieces are kept (see --words)."),
    ] = None,
    pieces_of: Annotated[
        Path | None,
        typer.Option(help="A reader whose word pieces are kept: its teacher needs the same ones."),
    ] = None,
    layers: Annotated[
        str | None,
        typer.Option(
            metavar="0,2,5",
            help="The layers of an Encoder Reader to keep, counted from 0. Train it again then.",
        ),
    ] = None,
    inner: Annotated[
        int | None,
        typer.Option(min=1, help="How many inner units each of its layers keeps."),
    ] = None,
    measured_on: Annotated[
        Path | None,
        typer.Option(help="An encoded corpus that shows which inner units matter (see --inner)."),
    ] = None,
    questions: Annotated[
        int, typer.Option(min=1, help="How many of its questions they are measured on.")
    ] = 40,
    bits: Annotated[
        int,
        typer.Option(
            help="Of a weight: 16, 8 with a scale for each row of a matrix, 4 or 3 with one for "
            "every 128 numbers of a row."
        ),
    ] = 16,
    names_only: Annotated[
        bool,
        typer.Option(
            "--names-only", help="Answer with the article's names alone: no softmax rows for words."
        ),
    ] = False,
    notice: Annotated[
        Path | None,
        typer.Option(help="A file to pass on as NOTICE.md: whose work the weights are."),
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing model.")] = False,
) -> None:
    """Make a model small: only its most frequent words, weights in 3 to 16 bits, fewer layers.

    \b
    cloze prune runs/attentive/model small/
    cloze prune runs/attentive/model small/ --words 10000 --names-only --bits 8
    cloze prune runs/encoder/model small/ --words 15000 --counted-on cnn-pieces/ --bits 4

    A smaller Encoder Reader begins as some layers of a large one, and is then trained further:

    \b
    cloze prune runs/encoder/model student/ --layers 0,2,4,6,8,11
    cloze prune runs/encoder/model student/ --inner 1024 --measured-on cnn-pieces/
    """
    from cloze.files import check_apart, read_text
    from cloze.readers.pruning import prune as prune_reader
    from cloze.readers.reader import Reader
    from cloze.readers.shipped_models import model_at

    model = model_at(model)
    others = None if pieces_of is None else model_at(pieces_of)
    check_apart(out, model, counted_on, measured_on, others, notice)
    if words is not None and pieces_of is not None:
        raise typer.BadParameter("give --words or --pieces-of, not both", param_hint="--words")
    if bits not in (3, 4, 8, 16):
        raise typer.BadParameter(f"{bits} is not 3, 4, 8 or 16", param_hint="--bits")
    chosen = None if layers is None else _numbers(layers)
    reader = Reader.from_pretrained(model, exact=True)
    reader = prune_reader(
        reader,
        words,
        names_only=names_only,
        encoded=counted_on,
        layers=chosen,
        inner=inner,
        measured_on=measured_on,
        questions=questions,
        pieces_of=None if others is None else Reader.from_pretrained(others, exact=True),
    )
    if notice is not None:
        reader.notice = read_text(notice)
    reader.save_pretrained(out, bits=cast(Literal[3, 4, 8, 16], bits), overwrite=overwrite)
    size = sum(file.stat().st_size for file in out.iterdir()) / 1e6
    typer.echo(f"{out}: {reader.vocabulary.described}, {size:.1f} MB")


def _numbers(text: str) -> list[int]:
    """Layers as they are written: '0,2,5'."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() and len(part) < 6 for part in parts):
        raise typer.BadParameter(f"'{text}' is no list of numbers: 0,2,5", param_hint="--layers")
    return [int(part) for part in parts]
