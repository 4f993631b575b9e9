"""The statistics of a corpus in the layout of the paper's Tables 1 and 2."""

from cloze.corpus.statistics import PAPER, PAPER_TOP, PAPER_VOCABULARY, TOP, Statistics
from cloze.tables import Table

_ROWS = (
    ("documents", "# documents", "{:,.0f}"),
    ("queries", "# queries", "{:,.0f}"),
    ("max_entities", "Max # entities", "{:,.0f}"),
    ("avg_entities", "Avg # entities", "{:.1f}"),
    ("avg_tokens", "Avg # tokens", "{:.0f}"),
    ("entities_a_document", "  entities per document", "{:.1f}"),
    ("tokens_a_document", "  tokens per document", "{:.0f}"),
)


def tables(found: Statistics, compare: str | None = None) -> tuple[Table, Table]:
    """Table 1 and Table 2.

    With `compare` ("cnn" or "dailymail") the paper's figure is shown beside ours, with the
    difference in percent (for the percentages of Table 2: in points).
    """
    columns = list(found.splits)
    heads = _heads(columns, compare)
    size = []
    for key, label, form in _ROWS:
        row = [label]
        for split in columns:
            ours = float(getattr(found.splits[split], key))
            paper = PAPER[compare].get(split, {}).get(key) if compare else None
            row += _cells(ours, paper, form, bool(compare), relative=True)
        size.append(row)
    paper_vocabulary = PAPER_VOCABULARY[compare] if compare else None
    cells = _cells(found.vocabulary, paper_vocabulary, "{:,.0f}", bool(compare), relative=True)
    size.append(["Vocab size", *cells, *[""] * (len(heads) - len(cells))])
    hardness = []
    for n in TOP:
        row = [str(n)]
        for split in columns:
            paper = PAPER_TOP[compare][n] if compare and split == "valid" else None
            row += _cells(
                found.splits[split].top[n], paper, "{:.1f}", bool(compare), relative=False
            )
        hardness.append(row)
    return Table(["", *heads], size), Table(["Top N, cumulative %", *heads], hardness)


def _heads(columns: list[str], compare: str | None) -> list[str]:
    return [h for c in columns for h in ((c, "paper", "diff") if compare else (c,))]


def _cells(ours: float, paper: float | None, form: str, wide: bool, relative: bool) -> list[str]:
    if not wide:
        return [form.format(ours)]
    if paper is None:
        return [form.format(ours), "", ""]
    difference = 100 * (ours / paper - 1) if relative else ours - paper
    return [form.format(ours), form.format(paper), f"{difference:+.1f}{' %' if relative else ''}"]
