from pathlib import Path
from typing import Annotated

import typer


def stats(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    compare: Annotated[
        str | None, typer.Option(help="Show the paper's figures too: cnn or dailymail.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """The paper's Table 1 and Table 2 for a corpus.

    \b
    cloze stats corpus/
    cloze stats corpus/ --compare cnn       the paper's figures and the difference beside ours
    cloze stats corpus/ --json | jq .splits.valid.queries
    """
    import json

    from cloze.corpus.statistics import PAPER, measure
    from cloze.corpus.statistics_table import tables
    from cloze.corpus.store import Corpus
    from cloze.errors import UserError
    from cloze.tables import as_text

    if compare is not None and compare not in PAPER:
        raise UserError(f"there are no figures of '{compare}'", fix="compare with cnn or dailymail")
    found = measure(Corpus.open(corpus))
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2))
        return
    size, hardness = tables(found, compare)
    typer.echo(as_text(size))
    typer.echo()
    typer.echo(as_text(hardness))
