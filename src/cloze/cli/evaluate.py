from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL]... CORPUS",
            help="Models' folders, baselines or module:Class; then a corpus.",
        ),
    ],
    baseline: Annotated[
        list[str] | None, typer.Option(help="A baseline's name, or all; may be given again.")
    ] = None,
    split: Annotated[str, typer.Option(help="Which split to answer.")] = "valid",
    out: Annotated[Path, typer.Option(help="Folder for the predictions.")] = Path("predictions"),
    batch_size: Annotated[int, typer.Option(min=1, help="Questions per batch, for readers.")] = 32,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto.")] = "auto",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Answer only the first N questions.")
    ] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Keep the attention, for heat maps.")
    ] = False,
    permutations: Annotated[
        int, typer.Option(min=1, help="Answer under this many namings of the entities.")
    ] = 1,
    question_only: Annotated[
        bool, typer.Option("--question-only", help="Hide the article: a control.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Which naming of the entities comes first.")] = 0,
    encoded: Annotated[
        Path | None,
        typer.Option(help="A folder of cloze encode: readers take the split from its arrays."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Let models and baselines answer a split; print the accuracy table of the paper.

    \b
    cloze evaluate --baseline all corpus/                 every baseline on the validation split
    cloze evaluate runs/attentive corpus/ --split test    a trained reader
    cloze evaluate runs/attentive runs/impatient corpus/ --attention
    cloze evaluate runs/attentive corpus/ --permutations 5
    cloze evaluate runs/attentive corpus/ --encoded encoded/
    cloze evaluate word-distance my.module:MyAnswerer corpus/ --limit 500 --json

    Each model leaves a Parquet file of predictions in --out, from which cloze report and
    cloze heatmap work. A second run replaces the model's earlier file for that corpus and split;
    an interrupted run continues where it stopped.
    """
    import json

    from cloze.corpus.store import MANIFEST, Corpus
    from cloze.errors import UserError
    from cloze.evaluation.metrics import compare
    from cloze.evaluation.run import Options, run_all
    from cloze.finding import baselines_called, find_all
    from cloze.reporting import accuracy
    from cloze.tables import as_text

    # The corpus is recognised by its manifest, so it may come anywhere among the models.
    folder = next((place for place in places if Path(place, MANIFEST).is_file()), places[-1])
    corpus = Corpus.open(folder)
    words = baselines_called(baseline or []) + [place for place in places if place != folder]
    if encoded is not None and question_only:
        raise UserError("--encoded holds the articles that --question-only hides", fix="drop one")
    arrays = None if encoded is None else encoded / split
    answerers = find_all(words, batch_size=batch_size, device=device, encoded=arrays)
    options = Options(limit, attention, permutations, question_only, seed)
    comparisons = compare(run_all(answerers, corpus, split, out, options))
    if as_json:
        typer.echo(json.dumps(accuracy.as_dicts(comparisons), indent=2))
        return
    typer.echo(as_text(accuracy.as_table(accuracy.accuracy_table(comparisons))))
    for comparison in comparisons:
        for pair in accuracy.neighbours(comparison):
            typer.echo(accuracy.pair_text(pair))
        for model in comparison.models if permutations > 1 else []:
            typer.echo(accuracy.permutations_text(model))
    typer.echo(f"predictions in {out}; look at them with: cloze report {out} --out report")
