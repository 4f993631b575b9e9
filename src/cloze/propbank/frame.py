"""What the parser finds: predicates, the sense of each, and its arguments.

"Kim gave a book to Suse ." holds one frame:

    Frame(predicate=1, roleset="give.01", arguments=(
        Argument("ARG0", 0, 1), Argument("ARG1", 2, 4), Argument("ARG2", 4, 6)))
"""

from typing import NamedTuple


class Argument(NamedTuple):
    label: str  # ARG0 to ARG5, ARGM-*, with R- before a relative pronoun, C- before a second part
    start: int  # the first token
    end: int  # one past the last


class Frame(NamedTuple):
    predicate: int  # the token that evokes the frame
    roleset: str  # its sense, give.01
    arguments: tuple[Argument, ...]

    def argument(self, label: str) -> Argument | None:
        return next((a for a in self.arguments if a.label == label), None)
