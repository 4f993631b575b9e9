from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[Path], typer.Argument(help="Prediction files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus, if it has moved since the evaluation.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's title.")] = None,
    texts: Annotated[int, typer.Option(min=0, help="Articles to show in full.")] = 1500,
    heatmaps: Annotated[int, typer.Option(min=0, help="Heat maps to show.")] = 120,
) -> None:
    """One page with the tables, the curves, the heat maps and every question.

    \b
    cloze report predictions/ --out report
    cloze report predictions/attentive*.parquet predictions/word-distance*.parquet --out report
    cloze report predictions/ --corpus corpora/cnn --title "CNN, March 2015"

    Writes index.html, which needs no network and no other file, and beside it the tables
    (text, Markdown, CSV, LaTeX) and figures (SVG, PNG, CSV).
    """
    from cloze.reporting.report import Bounds, write_report

    bounds = Bounds(texts=texts, heatmaps=heatmaps)
    page = write_report(runs, corpus, out, title=title, bounds=bounds)
    typer.echo(f"{page} ({page.stat().st_size / 1e6:.1f} MB)")
