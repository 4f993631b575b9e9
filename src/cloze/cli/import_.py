from pathlib import Path
from typing import Annotated

import typer


def import_(
    source: Annotated[Path, typer.Argument(help="A folder or tar of .question files.")],
    out: Annotated[Path, typer.Argument(help="The corpus folder to make.")],
    name: Annotated[
        str | None, typer.Option(help="The corpus's name; default: the source's.")
    ] = None,
    strict: Annotated[
        bool, typer.Option(help="Stop at the first bad file or file name that is not the SHA-1.")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing corpus.")] = False,
) -> None:
    """Make a corpus from published .question files.

    The split is the name of each file's folder: training, validation, test.

    \b
    cloze import cnn/questions corpus/
    cloze import questions.tar corpus/ --strict
    """
    from cloze.corpus.exchange import import_questions

    counts, problems = import_questions(
        source, out, name=name or source.stem, strict=strict, overwrite=overwrite
    )
    for line in problems[:20]:
        typer.echo(f"warning: {line}", err=True)
    if len(problems) > 20:
        typer.echo(f"warning: and {len(problems) - 20} more", err=True)
    rejected = len(problems) - counts["wrong name"]
    typer.echo(
        f"{counts['questions']:,} questions over {counts['documents']:,} documents in {out}"
        f" ({rejected:,} files rejected, {counts['wrong name']:,} not named after their SHA-1)"
    )
