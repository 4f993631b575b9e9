"""From what each word probably is to the names of a text.

A word is outside all names, begins one, or is inside one, and in a name it has a type: 1 + 2 · 11
labels. The likeliest sequence in which no name begins with its inside is found first (Viterbi); the
type of a name is then the one that its words together find likeliest.
"""

import numpy as np

TYPES = (
    "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW",
    "LANGUAGE",
)  # fmt: skip
LABELS = 1 + 2 * len(TYPES)  # outside, and for each type: begins, inside
OUTSIDE, BEGINS, INSIDE = range(3)
_NEVER = -1e9


def names(
    probabilities: np.ndarray, opening: np.ndarray | None = None
) -> list[tuple[int, int, str]]:
    """Names as words [first, last) with their types, from the labels' probabilities [words, 23].

    No name goes on at a word that opens a paragraph; `opening` [words] says which do.
    """
    if not len(probabilities):
        return []
    begins, inside = probabilities[:, 1::2], probabilities[:, 2::2]
    parts = np.stack([probabilities[:, 0], begins.sum(1), inside.sum(1)], 1)
    types = begins + inside
    scores = np.log(parts + 1e-9)
    if opening is not None:
        scores[opening, INSIDE] = _NEVER
    return [
        (first, last, TYPES[int(types[first:last].sum(0).argmax())])
        for first, last in _runs(likeliest(scores))
    ]


def likeliest(scores: np.ndarray) -> list[int]:
    """The parts [words] with the highest sum of scores [words, 3], never INSIDE after OUTSIDE.

    >>> likeliest(np.log([[0.9, 0.0001, 0.0999], [0.3, 0.1, 0.6], [0.2, 0.1, 0.7]]))
    [0, 1, 2]
    """
    rows = scores.tolist()
    outside, begins, inside = rows[0][OUTSIDE], rows[0][BEGINS], _NEVER
    came_from = []
    for to_outside, to_begins, to_inside in rows[1:]:  # floats: arrays of three are slow
        in_name = BEGINS if begins >= inside else INSIDE
        best = begins if begins >= inside else inside
        any_part = in_name
        inside = best + to_inside
        if outside >= best:
            any_part, best = OUTSIDE, outside
        came_from.append((any_part, any_part, in_name))
        outside, begins = best + to_outside, best + to_begins
    ends = (outside, begins, inside)
    parts = [ends.index(max(ends))]
    for before in reversed(came_from):
        parts.append(before[parts[-1]])
    return parts[::-1]


def _runs(parts: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at, part in enumerate(parts):
        if part == BEGINS:
            found.append((at, at + 1))
        elif part == INSIDE:
            found[-1] = (found[-1][0], at + 1)
    return found
