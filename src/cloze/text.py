"""An anonymised text, and what everybody needs from it: markers, gap, mentions, sentences.

The tokens are what a reader sees: lower-cased words and markers. The surfaces are what a person
reads: the cased words and, for a marker, the whole name that it stands for.

    surfaces  "The" "BBC"      "producer" "allegedly" "struck" "by" "Jeremy Clarkson"
    tokens    "the" "@entity0" "producer" "allegedly" "struck" "by" "@entity1"
    markers   -1    0          -1         -1          -1       -1   1
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from html import escape
from typing import Literal

import numpy as np

PLACEHOLDER = "@placeholder"
MARKER = "@entity"  # followed by the entity's number
A_WORD, THE_GAP = -1, -2  # what `Text.markers` holds where there is no marker

After = Literal["", " ", "\n\n"]
AFTER: tuple[After, After, After] = ("", " ", "\n\n")  # what each Spacing looks like

# One spelling for each number, so that a marker can be written again, and 32 bits can hold it.
_MARKER = re.compile(MARKER + "(0|[1-9][0-9]{0,8})")
_ENDS = frozenset([".", "?", "!", "..."])
_CLOSING = frozenset(["''", "'", ")", "]", "”", "’"])


class Spacing(IntEnum):
    """What stands after a token in the original text."""

    NOTHING = 0
    SPACE = 1
    PARAGRAPH = 2


@dataclass(frozen=True)
class Text:
    """Parallel lists over the tokens of an anonymised text, which must not be changed."""

    tokens: list[str]
    surfaces: list[str]
    spacing: list[int]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, places: slice) -> "Text":
        return Text(self.tokens[places], self.surfaces[places], self.spacing[places])

    @cached_property
    def markers(self) -> np.ndarray:
        """For each token its marker, A_WORD or THE_GAP. int32 [tokens]"""
        # Comparing strings is quicker than looking at their first letters.
        found = [A_WORD if token >= "A" else _code(token) for token in self.tokens]
        return np.array(found, np.int32)

    @cached_property
    def gap(self) -> int:
        """The position of the gap, -1 if there is none."""
        return self.tokens.index(PLACEHOLDER) if PLACEHOLDER in self.tokens else -1

    def mentions(self) -> dict[int, list[int]]:
        """Each marker with its positions, in the order of first mention.

        >>> Text("@entity4 met @entity1 and @entity4".split(), [""] * 5, [1] * 5).mentions()
        {4: [0, 4], 1: [2]}
        """
        found: dict[int, list[int]] = {}
        for place, token in enumerate(self.tokens):
            if token < "A" and (marker := _code(token)) >= 0:
                found.setdefault(marker, []).append(place)
        return found

    def sentences(self) -> list[slice]:
        """Tokens up to a full stop, a question or exclamation mark, with the quotation mark or
        bracket that closes after it, or up to the end of a paragraph."""
        found, first, last = [], 0, len(self) - 1
        for place, token in enumerate(self.tokens):
            ends = token in _ENDS or (
                token in _CLOSING and place > first and self.tokens[place - 1] in _ENDS
            )
            after = self.spacing[place]
            if (ends and after) or after == Spacing.PARAGRAPH or place == last:
                found.append(slice(first, place + 1))
                first = place + 1
        return found

    def words(self) -> Iterator[tuple[str, int, After]]:
        """Each token's surface, its marker (or A_WORD or THE_GAP), and what stands after it."""
        after = (AFTER[k] for k in self.spacing)
        return zip(self.surfaces, self.markers.tolist(), after, strict=True)

    def as_html(self, styles: Sequence[str] = ()) -> str:
        """The text with its names in bold, for notebooks; `styles` has one for each word.

        >>> Text(["@entity4", "<", "left"], ["Ann", "<", "left"], [1, 1, 0]).as_html()
        '<b title="@entity4">Ann</b> &lt; left'
        """
        parts = []
        for place, (surface, marker, after) in enumerate(self.words()):
            word = "____" if marker == THE_GAP else escape(surface)
            if marker >= 0:
                word = f'<b title="{MARKER}{marker}">{word}</b>'
            if styles and styles[place]:
                word = f'<span style="{styles[place]}">{word}</span>'
            parts += [word, "<br><br>" if after == AFTER[Spacing.PARAGRAPH] else after]
        return "".join(parts)

    def _repr_html_(self) -> str:
        return self.as_html()

    @property
    def original(self) -> str:
        """The text as people read it, with the names and the spacing it came with."""
        return "".join(surface + after for surface, _, after in self.words()).rstrip()

    @property
    def anonymised(self) -> str:
        return " ".join(self.tokens)


def marker_of(token: str) -> int:
    """The number of a marker, or -1 for a word.

    >>> [marker_of(token) for token in ("@entity12", "producer", "@entityfoo", "@entity07")]
    [12, -1, -1, -1]
    """
    found = _MARKER.fullmatch(token)
    return int(found[1]) if found else A_WORD


def _code(token: str) -> int:
    if token[:1] != "@":
        return A_WORD
    return THE_GAP if token == PLACEHOLDER else marker_of(token)
