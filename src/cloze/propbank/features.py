"""Signs of what a word means in context: itself, its neighbours, its governor, its dependents.

Each sign is a 64-bit number made from the numbers of words and labels, so that extracting signs
needs no strings; the linear models hash it once more with a class. Words are also represented by
the cluster of their vector ("a Tuesday" and "a Friday" look alike).
"""

import numba
import numpy as np

from cloze.propbank.analysis import Analysis

WIDTH = 56  # the most signs that a word has; the rest of its row is 0
CHILDREN = 8  # dependents looked at, from the left

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(29)


@numba.njit(cache=True)
def _sign(kind: int, a: int, b: int) -> np.uint64:
    z = (np.uint64(kind) * _B) ^ (np.uint64(a) * _A)
    z = (z ^ (z >> _SHIFT)) * _B
    z = (z ^ np.uint64(b)) * _A
    return z ^ (z >> _SHIFT)


@numba.njit(cache=True)
def _signs(
    words: np.ndarray,
    lower: np.ndarray,
    lemma: np.ndarray,
    tag: np.ndarray,
    dep: np.ndarray,
    head: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    cluster: np.ndarray,
    prep: int,
) -> np.ndarray:
    signs = np.zeros((len(words), WIDTH), np.uint64)
    for row in range(len(words)):
        p = words[row]
        out = signs[row]
        h = head[p]
        out[0] = _sign(1, 0, 0)
        out[1] = _sign(2, lower[p], 0)
        out[2] = _sign(3, tag[p], 0)
        out[3] = _sign(4, dep[p], 0)
        out[4] = _sign(5, tag[p], dep[p])
        out[5] = _sign(6, lemma[h], dep[p])
        out[6] = _sign(7, tag[h], dep[p])
        out[7] = _sign(8, cluster[h], dep[p])
        at = 8
        for step in (-3, -2, -1, 1, 2, 3):
            if first[p] <= p + step < last[p]:
                out[at] = _sign(20 + step, lower[p + step], 0)
                if -2 <= step <= 2:
                    out[at + 1] = _sign(30 + step, tag[p + step], 0)
                    out[at + 2] = _sign(40 + step, cluster[p + step], 0)
            at += 3 if -2 <= step <= 2 else 1
        if first[p] <= p - 1 and p + 1 < last[p]:
            out[at] = _sign(50, lower[p - 1], lower[p + 1])
        at += 1
        seen = 0
        for c in range(first[p], last[p]):
            if head[c] != p or c == p:
                continue
            out[at] = _sign(51, dep[c], lemma[c])
            out[at + 1] = _sign(52, dep[c], 0)
            out[at + 2] = _sign(53, dep[c], cluster[c])
            at += 3
            if dep[c] == prep and at + 4 < WIDTH:
                for o in range(c + 1, last[p]):  # the object of the preposition
                    if head[o] == c:
                        out[at] = _sign(54, lemma[c], cluster[o])
                        at += 1
                        break
            seen += 1
            if seen == CHILDREN or at + 4 > WIDTH:
                break
    return signs


def signs(words: np.ndarray, text: Analysis, cluster: np.ndarray, prep: int) -> np.ndarray:
    """The signs of each of the words: uint64 [words, WIDTH].

    `cluster` numbers every token of the text by its vector; `prep` is the number of the dependency
    label of a prepositional phrase.
    """
    return np.asarray(
        _signs(
            words.astype(np.int64),
            text.lower,
            text.lemma,
            text.tag,
            text.dep,
            text.head,
            text.first,
            text.last,
            cluster.astype(np.int64),
            prep,
        )
    )
