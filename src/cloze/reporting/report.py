"""The report: every table and figure as files, and one page that holds them all.

write_report([Path("predictions/attentive-reader-cnn-valid.parquet")], None, Path("report"))

report/index.html        the page; it needs no other file and no network
report/tables/           accuracy as text, Markdown, CSV and LaTeX
report/figures/…         the curves as SVG, PNG and CSV, in a folder for each split
"""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cloze.corpus.statistics import Statistics, measure
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.metrics import Comparison, compare
from cloze.files import check_apart, write_text
from cloze.paper import corpus_of as corpus_of_paper
from cloze.paper import corpus_title
from cloze.progress import track
from cloze.reporting.accuracy import accuracy_table, as_csv, as_table
from cloze.reporting.figures import plots
from cloze.reporting.heatmap_choice import choose
from cloze.reporting.page import Split, report_page
from cloze.reporting.page_data import page_data
from cloze.reporting.plot import Drawn, save
from cloze.reporting.texts import read_texts
from cloze.tables import as_latex, as_markdown, as_text
from cloze.version import __version__, commit


@dataclass(frozen=True)
class Bounds:
    """How much of a large corpus the page may hold."""

    questions: int = 5_000
    texts: int = 1_500  # articles
    heatmaps: int = 120


def prediction_files(places: Iterable[Path]) -> list[Path]:
    """The files in a list of files and folders; a folder means every Parquet file below it."""
    found: list[Path] = []
    for place in map(Path, places):
        below = sorted(_below(place)) if place.is_dir() else [place]
        if not below:
            raise UserError("has no predictions", where=place, fix="make some: cloze evaluate")
        found += below
    return list(dict.fromkeys(found))


def _below(folder: Path) -> Iterator[Path]:
    """Not in hidden folders, where evaluations keep what is unfinished. A folder that vanishes
    meanwhile holds nothing."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if name.endswith(".parquet"))


def write_report(
    predictions: Sequence[Path],
    corpus: Path | Corpus | None,
    out: Path,
    *,
    title: str | None = None,
    bounds: Bounds = Bounds(),
) -> Path:
    """Write the whole report and return the page.

    corpus: a folder to use instead of the one recorded in the predictions.
    """
    comparisons = compare(prediction_files(predictions))
    if not comparisons:
        raise UserError("there are no predictions to report on", fix="make some: cloze evaluate")
    corpora = _corpora(comparisons, corpus)
    for written in ("tables", "figures", "index.html"):
        check_apart(Path(out) / written, *predictions, *(each.path for each in corpora))
    table = accuracy_table(comparisons)
    plain = as_table(table)
    forms = {
        "txt": as_text(plain) + "\n",
        "md": as_markdown(plain) + "\n",
        "csv": as_csv(table),
        "tex": as_latex(plain),
    }
    for ending, text in forms.items():
        write_text(Path(out) / "tables" / f"accuracy.{ending}", text)
    drawings = _draw(comparisons, Path(out) / "figures")
    splits = [_split(*each, bounds) for each in zip(comparisons, corpora, drawings, strict=True)]
    statistics = _statistics(comparisons, corpora)
    page = Path(out) / "index.html"
    title = title or _title(comparisons)
    write_text(page, report_page(title, splits, table, forms, statistics, _about_page()))
    return page


def _split(comparison: Comparison, corpus: Corpus, drawings: list[Drawn], bounds: Bounds) -> Split:
    texts = read_texts(comparison, corpus, bounds.questions)
    maps, gallery = choose(comparison, texts, bounds.heatmaps)
    data = page_data(comparison, texts, maps, bounds.texts)
    return Split(comparison, texts, drawings, data | {"gallery": gallery})


def _title(comparisons: Sequence[Comparison]) -> str:
    names = dict.fromkeys(comparison.corpus for comparison in comparisons)
    read = [corpus_title(name) if corpus_of_paper(name) else f"the {name} corpus" for name in names]
    return f"How well machines read {' and '.join(read)}"


def corpus_of(comparison: Comparison, given: Path | Corpus | None) -> Corpus:
    recorded = comparison.models[0].about.corpus_path
    if isinstance(given, Corpus):
        fits = given.fingerprint == comparison.models[0].about.corpus_fingerprint
        return given if fits or not Path(recorded).is_dir() else Corpus.open(recorded)
    if given is None and not Path(recorded).is_dir():
        raise UserError(
            f"the corpus '{comparison.corpus}' is not where it was when the predictions were made",
            where=recorded or None,
            fix="say where it is with --corpus",
        )
    return Corpus.open(given or recorded)


def _corpora(comparisons: Sequence[Comparison], given: Path | Corpus | None) -> list[Corpus]:
    """The corpus of each split: the given one if its questions were asked, else the recorded one.
    Opening one hashes all its files, so each is opened once."""
    if isinstance(given, Path) and len(comparisons) > 1:
        given = Corpus.open(given)
    opened: dict[str, Corpus] = {}
    for comparison in comparisons:
        place = comparison.models[0].about.corpus_path
        if place not in opened:
            opened[place] = corpus_of(comparison, given)
    return [opened[comparison.models[0].about.corpus_path] for comparison in comparisons]


def _draw(comparisons: Sequence[Comparison], folder: Path) -> list[list[Drawn]]:
    """The figures of each comparison; one that shows no model is left out."""
    drawn: list[list[Drawn]] = [[] for _ in comparisons]
    jobs = [(k, plot) for k in range(len(comparisons)) for plot in plots()]
    for k, plot in track(jobs, "drawing", total=len(jobs), unit="figures"):
        made = save(plot, comparisons[k], folder / comparisons[k].slug)
        drawn[k] += [] if made is None else [made]
    return drawn


def _statistics(comparisons: Sequence[Comparison], corpora: Sequence[Corpus]) -> list[Statistics]:
    """Only for the evaluated splits: a training split would take minutes to measure."""
    splits: dict[str, tuple[Corpus, list[str]]] = {}
    for comparison, corpus in zip(comparisons, corpora, strict=True):
        splits.setdefault(corpus.fingerprint, (corpus, []))[1].append(comparison.split)
    return [measure(corpus, own) for corpus, own in splits.values()]


def _about_page() -> dict[str, str]:
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    return {
        "command": shlex.join(words) if words[0] == "cloze" else "",
        "when": datetime.now().astimezone().isoformat(timespec="seconds"),
        "code": commit(),
        "software": f"cloze-reader {__version__}, Python {sys.version.split()[0]}",
    }
