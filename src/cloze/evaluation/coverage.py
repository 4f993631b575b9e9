"""How often each rule of the frame-semantic model answered, and how often correctly.

python -m cloze.evaluation.coverage predictions/frame-semantic-model-cnn-valid.parquet

reads the predictions that `cloze evaluate --baseline frame-semantic` wrote.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cloze.baselines.frames import BACK_OFF, RULES
from cloze.errors import UserError
from cloze.evaluation.predictions import Predictions
from cloze.tables import Table, as_markdown


class Coverage(NamedTuple):
    rule: str
    answered: int
    share: float  # of all questions
    right: int
    precision: float  # of those it answered; 0 if it answered none


def coverage(answers: Iterable[tuple[str, bool]]) -> list[Coverage]:
    """What each rule did, from pairs (the rule that answered, whether it was right)."""
    answered, right = Counter[str](), Counter[str]()
    for rule, was_right in answers:
        answered[rule] += 1
        right[rule] += was_right
    total = max(answered.total(), 1)
    return [
        Coverage(
            rule, answered[rule], answered[rule] / total, right[rule],
            right[rule] / max(answered[rule], 1),
        )
        for rule in (*RULES, BACK_OFF)
    ]  # fmt: skip


def table(rows: Iterable[Coverage]) -> str:
    cells = [
        [r.rule, f"{r.answered:,}", f"{r.share:.1%}", f"{r.right:,}", f"{r.precision:.1%}"]
        for r in rows
    ]
    return as_markdown(Table(["rule", "answered", "of all", "right", "of those"], cells))


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    try:
        source = Predictions(Path(sys.argv[1]))
    except UserError as problem:
        raise SystemExit(str(problem)) from None
    right = source.top(1)[0][:, 0] == source.whole("answer")
    print(table(coverage(zip(source.whole("why"), right.tolist(), strict=True))))


if __name__ == "__main__":
    main()
