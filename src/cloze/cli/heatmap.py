from pathlib import Path
from typing import Annotated

import typer


def heatmap(
    runs: Annotated[list[Path], typer.Argument(help="Predictions with attention, one split.")],
    out: Annotated[Path, typer.Option(help="heatmaps.html, or a folder for the PNG files.")] = Path(
        "heatmaps.html"
    ),
    question: Annotated[
        list[str] | None, typer.Option(help="A question's id; may be given again.")
    ] = None,
    pairs: Annotated[
        int, typer.Option(min=1, help="Without --question: right and wrong answers side by side.")
    ] = 4,
    markers: Annotated[
        bool, typer.Option("--markers", help="Show the markers that the reader saw.")
    ] = False,
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus, if it has moved since the evaluation.")
    ] = None,
) -> None:
    """What a reader looked at: the article's words, darker where it paid attention.

    \b
    cloze heatmap predictions/attentive-reader-cnn-valid.parquet --out heatmaps.html
    cloze heatmap predictions/impatient*.parquet --question ID --out film.html
    cloze heatmap predictions/attentive*.parquet --question ID --out pictures/

    If the predictions are for several splits, each gets a page or a folder of its own.
    A name that ends in .html gives one page with names and markers, a film over the question's
    words for the Impatient Reader, and right and wrong answers side by side. A folder gives one
    PNG for each heat map.
    """
    from cloze.evaluation.metrics import compare
    from cloze.files import check_apart
    from cloze.reporting.heatmap_choice import with_attention
    from cloze.reporting.heatmap_page import write_heatmaps
    from cloze.reporting.heatmap_png import write_pictures
    from cloze.reporting.report import corpus_of, prediction_files

    wanted = with_attention(compare(prediction_files(runs)), question or [])
    page = out.suffix == ".html"
    work = write_heatmaps if page else write_pictures
    for comparison, questions in wanted:
        place = out if len(wanted) == 1 else _own_place(out, comparison.slug)
        opened = corpus_of(comparison, corpus)
        check_apart(place if page else place / "picture.png", *runs, opened.path)
        maps = work(comparison, opened, place, questions=questions, pairs=pairs, names=not markers)
        typer.echo(f"{place}: {len(maps)} heat maps")


def _own_place(out: Path, split: str) -> Path:
    return out.with_stem(f"{out.stem}-{split}") if out.suffix == ".html" else out / split
