from pathlib import Path
from typing import Annotated

import typer


def export(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    out: Annotated[Path, typer.Argument(help="A folder, or a name ending in .tar.")],
    split: Annotated[
        list[str] | None, typer.Option(help="Which split; may be repeated. Default: all.")
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
) -> None:
    """Write a corpus as published .question files.

    \b
    cloze export corpus/ questions/
    cloze export corpus/ valid.tar --split valid
    """
    from cloze.corpus.exchange import export_questions
    from cloze.corpus.store import Corpus

    opened = Corpus.open(corpus)
    counts = export_questions(opened, out, split or opened.splits, overwrite=overwrite)
    typer.echo(
        f"{counts['questions']:,} questions in {out} ({counts['repeated']:,} duplicates left out)"
    )
