"""How well a reader does, as its card says: a section with a table, which `cloze card` writes."""

import re
from typing import NamedTuple

WELL = "How well it does"  # the section's heading
HEADS = ["questions of", "number", "right %", "95 %"]
_ROW = re.compile(r"\| ([^|]+) \| ([\d,]+) \| ([\d.]+) \| \[([\d.]+), ([\d.]+)\] \|")


class CardResult(NamedTuple):
    """The share of right answers in percent, with its 95 % interval."""

    questions: str  # of which split: CNN valid
    number: int
    right: float
    low: float
    high: float


def card_results(card: str) -> list[CardResult]:
    """
    >>> card_results(f"## {WELL}\\n| CNN valid | 3,951 | 62.6 | [60.8, 64.5] |\\n\\n## Limits\\n")
    [CardResult(questions='CNN valid', number=3951, right=62.6, low=60.8, high=64.5)]
    """
    section = re.search(rf"(?ms)^## {WELL}\n(.*?)(?=^## |\Z)", card)
    return [
        CardResult(questions, int(number.replace(",", "")), float(right), float(low), float(high))
        for questions, number, right, low, high in _ROW.findall(section[1] if section else "")
    ]
