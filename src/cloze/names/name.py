"""A name of a data point, and the places where it occurs."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from cloze.names.language import Language

OTHER = "MISC"  # the type of a name found by capitals, and a type of simpler schemes
TYPES = frozenset(
    ["PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW",
     "LANGUAGE", OTHER]
)  # fmt: skip
Span = tuple[int, int, str]  # characters [start, end) and the type
_LONGEST = 14  # words; anything longer that a tagger calls a name is a run-away sentence


@dataclass(slots=True)
class Name:
    """A spelling of a name, with how often a tagger gave it each type."""

    words: tuple[str, ...]
    votes: Counter[str] = field(default_factory=Counter)
    type: str = ""
    located: bool = False  # follows "in" or "near" somewhere: a place, whatever taggers say
    articled: bool = False  # follows "the" somewhere

    def __post_init__(self) -> None:
        if len(self.votes) == 1:
            (self.type,) = self.votes

    def settle(self, language: Language) -> None:
        """The type with the most votes, alphabetically in a tie; but taggers often take a "Luka
        Modric" for a town or a firm, although his given name shows a person, and the last word of
        "Jan Seva Party" shows that it is not one."""
        if len(self.votes) == 1:
            (self.type,) = self.votes
        elif (
            len(self.words) in (2, 3)
            and self.words[0] in language.given_names
            and "PERSON" in self.votes
        ):
            self.type = "PERSON"
        else:
            self.type = min(self.votes, key=lambda label: (-self.votes[label], label))
        if self.type in ("PERSON", "NORP", "GPE", "PRODUCT") and len(self.words) > 1:
            if (
                self.words[-1] in language.bodies
                or self.words[-1] in language.firms
                or (self.words[-1] in language.trades and self.words[0] not in language.given_names)
            ):
                self.type = "ORG"
            elif (
                self.words[-1] in language.sites
                and self.type != "GPE"  # Palm Beach
                and self.words[0] not in language.given_names  # Benny Hill
            ):
                self.type = "FAC"


class Mention(NamedTuple):
    """Tokens [first, last) of a text, and which of the data point's names they are."""

    first: int
    last: int
    name: int


Names = dict[tuple[str, ...], Name]


def vote(names: Names, words: tuple[str, ...], label: str, votes: int = 1) -> None:
    """Count that a name was given a type; a name that is not there yet begins with it."""
    name = names.get(words)
    if name is None:
        name = names[words] = Name(words)
    name.votes[label] += votes


def is_name(words: tuple[str, ...], language: Language) -> bool:
    if not words or len(words) > _LONGEST:
        return False
    if len(words) == 1 and (len(words[0]) < 2 or words[0] in language.capitalised):
        return False
    if words in language.phrases:
        return False
    if words[0][0].isupper():
        return True
    # A capital, or a script that has none.
    return any(c.isalpha() and not c.islower() for word in words for c in word)
