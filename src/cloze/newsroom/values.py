"""Details of an event that are not names: sums, days, crimes, cargoes (`values.txt`).

A value is worded one way in the article and another way in a highlight:

    money    $40 million                       $40 million
    crime    selling forged paintings          art forgery
"""

from dataclasses import dataclass

from cloze.newsroom.dice import Dice
from cloze.newsroom.word_lists import sections


@dataclass(frozen=True, slots=True)
class Value:
    told: str  # in the article
    summed: str  # in a highlight


_ENTRIES = {
    table: tuple(
        Value(told, summed or told)
        for told, _, summed in (entry.partition("/") for entry in entries.split("; "))
    )
    for table, entries in sections("values.txt").items()
}
JOBS = tuple(job.told for job in _ENTRIES["job"])


def draw_value(dice: Dice, table: str) -> Value:
    if table in _ENTRIES:
        return dice.pick(_ENTRIES[table])
    match table:
        case "money":
            text = f"${dice.between(2, 95)} million"
        case "billions":
            text = f"${dice.between(1, 9)}.{dice.between(1, 9)} billion"
        case "count":
            text = str(dice.between(11, 99) * 10)
        case "age":
            text = str(dice.between(19, 84))
        case "score":
            loser = dice.between(0, 2)
            text = f"{loser + dice.between(1, 3)}-{loser}"
        case "percent":
            text = f"{dice.between(12, 88)} percent"
        case _:
            raise KeyError(table)
    return Value(text, text)
