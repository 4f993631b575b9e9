"""How each token of a sentence is related to a predicate through the dependency tree.

The path between them goes up from the predicate to the nearest common governor and then down.
Everything below one dependent of that governor is a group, which usually is one argument:

    Kim [who slept] gave Suse a book        predicate: gave
    nsubj<   -----  |    dative> dobj>      the group of "who slept" is nsubj< as well

A group's code packs the labels of up to three steps up, the label of the first step down, and the
side on which it goes down.
"""

from typing import NamedTuple

import numba
import numpy as np

from cloze.propbank.analysis import Analysis

DEEPEST = 6
FARTHEST = 20
STEPS = 3
_BITS = 6  # a dependency label is a number below 64


class Relations(NamedTuple):
    """Rows are (predicate, token of its sentence) pairs, predicate by predicate."""

    token: np.ndarray  # int64
    bounds: np.ndarray  # int64: pairs bounds[k] to bounds[k + 1] belong to predicate k
    code: np.ndarray  # int64, the group's code
    depth: np.ndarray  # int64, steps down, at most DEEPEST
    edge: np.ndarray  # int64: 1 the group's first token, 2 its last, 3 both
    distance: np.ndarray  # int64, 0 to 2 * FARTHEST


@numba.njit(cache=True)
def _relations(
    predicates: np.ndarray,
    bounds: np.ndarray,
    head: np.ndarray,
    dep: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> np.ndarray:
    rows = np.zeros((5, bounds[-1]), np.int64)
    climbed = np.full(len(head), -1, np.int64)  # the code of the way up to a governor
    for k in range(len(predicates)):
        p = predicates[k]
        begin, end = first[p], last[p]
        climbed[begin:end] = -1
        at, steps, code = p, 0, 0
        while True:
            climbed[at] = code
            if head[at] == at:
                break
            steps += 1
            if steps <= STEPS:
                code = (code << _BITS) | dep[at]
            elif steps == STEPS + 1:
                code |= 1 << (_BITS * STEPS)
            at = head[at]
        top_before = -1
        for t in range(begin, end):
            row = bounds[k] + t - begin
            at, top, depth = t, -1, 0
            while climbed[at] < 0:
                top = at
                at = head[at]
                depth += 1
            code = climbed[at] << (_BITS + 2)
            if top >= 0:
                code |= (dep[top] << 2) | (1 if top < at else 2)
            group = top if top >= 0 else at
            rows[0, row] = t
            rows[1, row] = code
            rows[2, row] = min(depth, DEEPEST)
            if t == begin or group != top_before:
                rows[3, row] |= 1
                if t > begin:
                    rows[3, row - 1] |= 2
            top_before = group
            if t == end - 1:
                rows[3, row] |= 2
            rows[4, row] = min(max(t - p, -FARTHEST), FARTHEST) + FARTHEST
    return rows


def relations(predicates: np.ndarray, text: Analysis) -> Relations:
    lengths = text.last[predicates] - text.first[predicates]
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = _relations(
        predicates.astype(np.int64), bounds, text.head, text.dep, text.first, text.last
    )
    return Relations(rows[0], bounds, rows[1], rows[2], rows[3], rows[4])
