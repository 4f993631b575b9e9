r"""Tables as text, Markdown, LaTeX and CSV.

>>> table = Table(["reader", "accuracy"], [["Uniform", "39.4"], ["Attentive", Strong("61.6")]])
>>> print(as_markdown(table))
| reader | accuracy |
| --- | ---: |
| Uniform | 39.4 |
| Attentive | **61.6** |
>>> print(as_text(table))
reader     accuracy
-------------------
Uniform        39.4
Attentive      61.6
"""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

Cells = Sequence[str]


class Strong(str):
    """A cell that stands out, in bold type where the format has it."""


class Small(str):
    """A cell in small type where the format has it."""


@dataclass(frozen=True)
class Table:
    heads: Cells
    rows: Sequence[Cells] = ()
    align: str = "lr"  # left or right for each column; the last letter applies to all that follow
    rules: Collection[int] = ()  # the numbers of the rows that have a line below them
    groups: Sequence[tuple[str, Cells]] = ()  # two rows of heads instead of one, for LaTeX

    @property
    def sides(self) -> str:
        return self.align.ljust(len(self.heads), self.align[-1])[: len(self.heads)]


def as_text(table: Table) -> str:
    lines = [table.heads, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    text = []
    for number, line in enumerate(lines, -1):
        cells = (
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(line, widths, table.sides, strict=True)
        )
        text.append("  ".join(cells).rstrip())
        if number == -1 or number in table.rules:
            text.append(rule)
    return "\n".join(text)


def as_markdown(table: Table) -> str:
    rule = ("---" if side == "l" else "---:" for side in table.sides)
    head = [markdown_row(table.heads), "| " + " | ".join(rule) + " |"]
    return "\n".join([*head, *map(markdown_row, table.rows)])


def markdown_row(cells: Cells) -> str:
    """One row by itself, for a table that is printed while its figures are computed."""
    return "| " + " | ".join(map(_markdown_cell, cells)) + " |"


def _markdown_cell(cell: str) -> str:
    text = markdown_text(cell)
    return f"**{text}**" if isinstance(cell, Strong) else text


def markdown_text(text: str) -> str:
    r"""A text on one line that starts neither a new cell nor an HTML tag.

    >>> print(markdown_text("a|b\n<c>"))
    a\|b \<c>
    """
    line = " ".join(text.splitlines())
    return "".join("\\" + character if character in "\\|<`" else character for character in line)


def as_latex(table: Table) -> str:
    """A tabular for a document that loads booktabs."""
    lines = [rf"\begin{{tabular}}{{@{{}}{table.sides}@{{}}}}", r"\toprule"]
    heads = table.heads
    if table.groups:
        spans, rules, start = [], [], 1
        for title, own in table.groups:
            end = start + len(own) - 1
            spans.append(rf"\multicolumn{{{len(own)}}}{{c}}{{{_tex(title)}}}" if title else "")
            rules += [rf"\cmidrule(lr){{{start}-{end}}}"] if title else []
            start = end + 1
        lines += [" & ".join(spans) + r" \\", " ".join(rules)]
        heads = [head for _, own in table.groups for head in own]
    lines += [_latex_row(heads), r"\midrule"]
    for number, row in enumerate(table.rows):
        lines.append(_latex_row(row))
        if number in table.rules:
            lines.append(r"\midrule")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Cells) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: str) -> str:
    text = _tex(cell)
    if isinstance(cell, Strong):
        return rf"\textbf{{{text}}}"
    return rf"{{\scriptsize {text}}}" if isinstance(cell, Small) and text else text


def _tex(text: str) -> str:
    r"""Escape what LaTeX would read as a command.

    >>> print(_tex("50 % of a_b & c"))
    50 \% of a\_b \& c
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"\N{NARROW NO-BREAK SPACE}": r"\,"}
    line = " ".join(text.splitlines())
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in line)


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    r"""Lines end in a plain newline; NaN becomes an empty cell.

    >>> csv_text([["model", "share"], ["Uniform, small", 0.5], ["none", float("nan")]])
    'model,share\n"Uniform, small",0.5\nnone,\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow(["" if cell != cell else cell for cell in row])  # NaN differs from itself
    return buffer.getvalue()
