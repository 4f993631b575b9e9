"""Paths in random trees, against walking them step by step."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze.propbank.analysis import Analysis
from cloze.propbank.relations import DEEPEST, STEPS, relations


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Heads and labels; every token hangs from one that was drawn before it, in shuffled order."""
    size = draw(st.integers(1, 9))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    heads[order[0]] = order[0]
    for k in range(1, size):
        heads[order[k]] = order[draw(st.integers(0, k - 1))]
    labels = draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    return heads, labels


def text(heads: list[int], labels: list[int], copies: int = 1) -> Analysis:
    size = len(heads)
    starts = np.repeat(np.arange(copies) * size, size)
    zeros = np.zeros(size * copies, np.uint64)
    return Analysis(
        lower=zeros,
        lemma=zeros,
        tag=zeros.astype(np.int64),
        dep=np.array(labels * copies),
        head=np.array(heads * copies) + starts,
        first=starts,
        last=starts + size,
        docs=np.array([0, size * copies]),
    )


def way_up(heads: list[int], at: int) -> list[int]:
    way = [at]
    while heads[way[-1]] != way[-1]:
        way.append(heads[way[-1]])
    return way


def walk(
    heads: list[int], labels: list[int], p: int, t: int
) -> tuple[list[int], int, str, int, int]:
    """Labels up, first label down (0: none), its side, how deep, and the top of the group."""
    up, down = way_up(heads, p), way_up(heads, t)
    meet = next(a for a in down if a in up)
    depth = down.index(meet)
    climbed = [labels[a] for a in up[: up.index(meet)]]
    if depth == 0:
        return climbed, 0, "", 0, meet
    top = down[depth - 1]
    return climbed, labels[top], "<" if top < meet else ">", depth, top


@given(trees())
def test_two_tokens_share_a_code_exactly_when_their_ways_are_alike(tree):
    heads, labels = tree
    found = relations(np.arange(len(heads)), text(heads, labels))
    ways: dict[object, int] = {}
    row = 0
    for p in range(len(heads)):
        tops = [walk(heads, labels, p, t)[4] for t in range(len(heads))]
        for t in range(len(heads)):
            up, first, side, depth, top = walk(heads, labels, p, t)
            way = (tuple(up[:STEPS]), len(up) > STEPS, first, side)
            assert ways.setdefault(way, int(found.code[row])) == found.code[row]
            assert found.depth[row] == min(depth, DEEPEST)
            begins = t == 0 or tops[t - 1] != top
            ends = t == len(heads) - 1 or tops[t + 1] != top
            assert found.edge[row] == begins + 2 * ends
            assert found.token[row] == t
            row += 1
    assert len(set(ways.values())) == len(ways)


@given(trees())
def test_a_sentence_does_not_see_its_neighbour(tree):
    heads, labels = tree
    size = len(heads)
    alone = relations(np.arange(size), text(heads, labels))
    both = relations(np.arange(2 * size), text(heads, labels, copies=2))
    for name in ("code", "depth", "edge", "distance"):
        np.testing.assert_array_equal(
            np.concatenate([getattr(alone, name)] * 2), getattr(both, name)
        )
