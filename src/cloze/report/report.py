"""The report: every table and figure as files, and one page that holds them all.

write_report([Path("predictions/attentive-reader-cnn-valid.parquet")], None, Path("report"))

report/index.html        the page; it needs no other file and no network
report/tables/           accuracy as text, Markdown, CSV and LaTeX
report/figures/…         the curves as SVG, PNG and CSV, a folder a split
"""

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from cloze.corpus.statistics import Statistics, measure
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.metrics import Comparison, compare
from cloze.evaluation.runs import commit
from cloze.files import write_text
from cloze.paper import corpus_of as corpus_of_paper
from cloze.progress import track
from cloze.report import sections, sections_about
from cloze.report.figures import PLOTS, save
from cloze.report.heatmaps import fill, template
from cloze.report.packing import json_for_page
from cloze.report.page_data import page_data
from cloze.report.reading import read_texts
from cloze.report.selection import choose
from cloze.report.tables import (
    AccuracyTable,
    accuracy_table,
    as_csv,
    as_latex,
    as_markdown,
    as_text,
    corpus_title,
    neighbours,
)
from cloze.version import __version__

_STYLES = ("base.css", "heatmap.css", "gallery.css", "report.css")
_SCRIPTS = ("heatmap.js", "dataset.js", "report.js")


@dataclass(frozen=True)
class Bounds:
    """How much of a large corpus the page may hold."""

    questions: int = 5_000
    texts: int = 1_500  # articles
    heatmaps: int = 120


def prediction_files(places: Iterable[Path]) -> list[Path]:
    """The files among files and folders; a folder gives every Parquet file below it."""
    found: list[Path] = []
    for place in map(Path, places):
        below = sorted(place.rglob("*.parquet")) if place.is_dir() else [place]
        if not below:
            raise UserError("holds no predictions", where=place, fix="make some: cloze evaluate")
        found += below
    return list(dict.fromkeys(found))


def write_report(
    predictions: Sequence[Path],
    corpus: Path | Corpus | None,
    out: Path,
    *,
    title: str | None = None,
    extra: str = "",
    bounds: Bounds = Bounds(),
) -> Path:
    """Write the whole report and return the page.

    corpus: a folder that stands in for the one recorded in the predictions. extra: HTML that the
    page shows before everything else.
    """
    comparisons = compare(prediction_files(predictions))
    if not comparisons:
        raise UserError("there are no predictions to report on", fix="make some: cloze evaluate")
    corpora = [corpus_of(comparison, corpus) for comparison in comparisons]
    table = accuracy_table(comparisons)
    _write_tables(table, Path(out) / "tables")
    drawn = _draw(comparisons, Path(out) / "figures")
    texts = [
        read_texts(c, own, bounds.questions) for c, own in zip(comparisons, corpora, strict=True)
    ]
    datasets: list[dict[str, Any]] = []
    for comparison, own in zip(comparisons, texts, strict=True):
        maps, gallery = choose(comparison, own, bounds.heatmaps)
        datasets.append(page_data(comparison, own, maps, bounds.texts) | {"gallery": gallery})
    counts = [own.cause_counts() for own in texts]
    shown = [len(own.questions) for own in texts]
    slots = {
        "title": escape(title or _title(comparisons)),
        "lead": sections.lead(comparisons),
        "dataset_switch": sections.dataset_switch(comparisons),
        "extra": extra,
        "accuracy": sections.accuracy(table, comparisons, [neighbours(c) for c in comparisons]),
        "curves": sections.per_dataset(
            [sections.curves(c, own) for c, own in zip(comparisons, drawn, strict=True)]
        ),
        "attention": sections.attention(comparisons, counts, any(d["maps"] for d in datasets)),
        "questions": sections.questions(shown, comparisons),
        "corpus": sections_about.corpus(_statistics(comparisons, corpora)),
        "checks": sections.per_dataset(
            [
                sections_about.checks(c, own.chance)
                for c, own in zip(comparisons, texts, strict=True)
            ]
        ),
        "made": sections_about.made(comparisons, _facts()),
        "style": "".join(map(template, _STYLES)),
        "script": "".join(map(template, _SCRIPTS)),
        "data": json_for_page({"datasets": datasets}),
    }
    for name in set(slots) - {"style", "script", "data"}:
        slots[name] = slots[name].replace(" %", "\N{NO-BREAK SPACE}%")
    page = Path(out) / "index.html"
    write_text(page, fill(template("report.html"), slots))
    return page


def _title(comparisons: Sequence[Comparison]) -> str:
    names = dict.fromkeys(comparison.corpus for comparison in comparisons)
    read = [corpus_title(name) if corpus_of_paper(name) else f"the {name} corpus" for name in names]
    return f"How well machines read {' and '.join(read)}"


def corpus_of(comparison: Comparison, given: Path | Corpus | None) -> Corpus:
    if isinstance(given, Corpus):
        return given
    recorded = comparison.models[0].about.corpus_path
    if given is None and not Path(recorded).is_dir():
        raise UserError(
            f"the corpus '{comparison.corpus}' is not where it was when the predictions were made",
            where=recorded or None,
            fix="say where it is with --corpus",
        )
    return Corpus.open(given or recorded)


def _write_tables(table: AccuracyTable, folder: Path) -> None:
    write_text(folder / "accuracy.txt", as_text(table) + "\n")
    write_text(folder / "accuracy.md", as_markdown(table) + "\n")
    write_text(folder / "accuracy.csv", as_csv(table))
    write_text(folder / "accuracy.tex", as_latex(table))


def _draw(comparisons: Sequence[Comparison], folder: Path) -> list[sections.Drawn]:
    drawn: list[sections.Drawn] = [{} for _ in comparisons]
    jobs = [(k, plot) for k in range(len(comparisons)) for plot in PLOTS]
    for k, plot in track(jobs, "drawing", total=len(jobs), unit="figures"):
        drawn[k][plot.slug] = save(plot, comparisons[k], folder / comparisons[k].slug)
    return drawn


def _statistics(comparisons: Sequence[Comparison], corpora: Sequence[Corpus]) -> list[Statistics]:
    """Of the evaluated splits alone: a training split would take minutes to measure."""
    splits: dict[str, tuple[Corpus, list[str]]] = {}
    for comparison, corpus in zip(comparisons, corpora, strict=True):
        splits.setdefault(corpus.fingerprint, (corpus, []))[1].append(comparison.split)
    return [measure(corpus, own) for corpus, own in splits.values()]


def _facts() -> dict[str, str]:
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    return {
        "command": shlex.join(words) if words[0] == "cloze" else "",
        "when": datetime.now().astimezone().isoformat(timespec="seconds"),
        "code": commit(),
        "software": f"cloze-reader {__version__}, Python {sys.version.split()[0]}",
    }
