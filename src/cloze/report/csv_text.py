"""Rows as CSV text."""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    r"""Lines end in a plain newline; what is not a number (NaN) is an empty cell.

    >>> csv_text([["model", "share"], ["Uniform, small", 0.5], ["none", float("nan")]])
    'model,share\n"Uniform, small",0.5\nnone,\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow(["" if cell != cell else cell for cell in row])  # NaN is unlike itself
    return buffer.getvalue()
