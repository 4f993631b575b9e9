"""How each model looks, in every figure and on the page.

Readers have solid lines, baselines broken ones. The colours are Okabe and Ito's, which colour-blind
people can tell apart, and a few more; templates/base.css has others for each of them in the dark.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cloze.evaluation.metrics import Answers
from cloze.paper import row_of


class Look(NamedTuple):
    colour: str
    line: str  # as Matplotlib writes it
    mark: str


# The paper's rows; other models take the remaining looks in order.
_PAPER = {
    "Maximum frequency": Look("#999999", ":", "v"),
    "Exclusive frequency": Look("#e69f00", "--", "^"),
    "Frame-semantic model": Look("#56b4e9", "-.", "s"),
    "Word distance model": Look("#444444", "--", "D"),
    "Deep LSTM Reader": Look("#009e73", "-", "P"),
    "Uniform Reader": Look("#cc79a7", "-", "X"),
    "Attentive Reader": Look("#d55e00", "-", "o"),
    "Impatient Reader": Look("#0072b2", "-", "h"),
}
_SPARE = ["#7b4fb5", "#8a5a12", "#5c9e31", "#b2182b", "#bfae00", "#20a8b0"]


def looks(models: Sequence[Answers]) -> list[Look]:
    spare, chosen = iter(_SPARE * len(models)), list[Look]()
    taken: set[str] = set()
    for model in models:
        look = _PAPER.get(row_of(model.about.model) or "")
        if look is None or look.colour in taken:
            line = "--" if model.about.kind == "baseline" else "-"
            look = Look(next(spare), line, "oPXhDs^v"[len(chosen) % 8])
        taken.add(look.colour)
        chosen.append(look)
    return chosen
