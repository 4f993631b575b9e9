"""What a reader's card says about its answers: how well it does, and what it gets wrong."""

from collections.abc import Sequence
from pathlib import Path

from cloze.card_results import HEADS, WELL
from cloze.corpus.store import Corpus
from cloze.evaluation.bootstrap import interval
from cloze.evaluation.causes import CAUSES
from cloze.evaluation.metrics import Comparison, compare
from cloze.paper import corpus_title
from cloze.reporting.accuracy import percent
from cloze.reporting.report import corpus_of
from cloze.reporting.texts import read_texts
from cloze.tables import Table, as_markdown

WRONG = "What it gets wrong"


def card_sections(predictions: Sequence[Path], corpus: Corpus | Path | None) -> dict[str, str]:
    """The sections by their headings, from what one reader answered on one or several splits."""
    comparisons = compare(predictions)
    wrong = "\n\n".join(_wrong(c, corpus_of(c, corpus)) for c in comparisons)
    return {WELL: _well(comparisons), WRONG: wrong}


def accuracies(predictions: Sequence[Path]) -> dict[tuple[str, str], float]:
    """The accuracy on each corpus and split."""
    return {(c.corpus, c.split): c.best.accuracy for c in compare(predictions)}


def _well(comparisons: Sequence[Comparison]) -> str:
    rows = []
    for comparison in comparisons:
        for model in comparison.models:
            found = interval(model.correct, model.documents)
            rows.append([_title(comparison), f"{len(model):,}", percent(found.share),
                         f"[{percent(found.low)}, {percent(found.high)}]"])  # fmt: skip
    return f"{as_markdown(Table(HEADS, rows))}\n\nThe intervals are bootstrapped over documents."


def _wrong(comparison: Comparison, corpus: Corpus) -> str:
    """The wrong answers by likely cause, the commonest first."""
    (counts,) = read_texts(comparison, corpus, 1).cause_counts()
    total = int(counts.sum())
    order = sorted(range(len(CAUSES)), key=lambda k: -counts[k])
    rows = [[CAUSES[k].label, percent(counts[k] / max(total, 1))] for k in order if counts[k]]
    text = f"The {total:,} wrong answers on {_title(comparison)}, each under the first rule of "
    text += "`cloze.evaluation.causes` that applies, in percent:"
    return f"{text}\n\n{as_markdown(Table(['likely cause', '%'], rows))}"


def _title(comparison: Comparison) -> str:
    return f"{corpus_title(comparison.corpus)} {comparison.split}"
