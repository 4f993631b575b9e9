from pathlib import Path
from typing import Annotated

import typer


def prune(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    out: Annotated[Path, typer.Argument(help="Where the smaller model goes.")],
    words: Annotated[int, typer.Option(min=1, help="How many words to keep at most.")] = 20_000,
    names_only: Annotated[
        bool,
        typer.Option(
            "--names-only", help="Answer with the article's names alone: no softmax rows for words."
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing model.")] = False,
) -> None:
    """Make a model small: only its most frequent words, weights in 16 bits.

    \b
    cloze prune runs/attentive/model small/
    cloze prune runs/attentive/model small/ --words 5000
    cloze prune runs/attentive/model small/ --words 10000 --names-only
    """
    from cloze.files import check_apart
    from cloze.readers.pruning import prune as prune_reader
    from cloze.readers.reader import Reader

    check_apart(out, model)
    reader = prune_reader(Reader.from_pretrained(model), words, names_only=names_only)
    reader.save_pretrained(out, half=True, overwrite=overwrite)
    size = (out / "model.safetensors").stat().st_size / 2**20
    typer.echo(f"{out}: {reader.vocabulary.described}, {size:.1f} MiB")
