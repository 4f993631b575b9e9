"""The dataset card: a README.md that says what a corpus holds and how to read it on its own."""

from cloze.corpus.statistics import Statistics
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus
from cloze.files import write_text
from cloze.tables import Table
from cloze.templating import render


def write_card(corpus: Corpus, statistics: Statistics) -> None:
    """Write README.md into a corpus directory that already has its manifest."""
    size, hardness = tables(statistics)
    text = render(
        "corpus",
        "card.md",
        corpus=corpus,
        size=size,
        hardness=hardness,
        rejects=_rejects(corpus),
        split=corpus.splits[-1] if corpus.splits else "train",
    )
    write_text(corpus.path / "README.md", text)


def _rejects(corpus: Corpus) -> Table:
    rows = [
        [split, reason, f"{count:,}"]
        for split, reasons in corpus.manifest["rejects"].items()
        for reason, count in sorted(reasons.items())
    ]
    return Table(["split", "reason", "count"], rows, align="llr")
