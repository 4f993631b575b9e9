"""Memory is used again once nothing holds it, and never before."""

import numpy as np
import pytest
import torch

from cloze.recurrence import reused
from cloze.recurrence.reused import Blocks, empty
from tests.recurrence.cases import NAMES, problem, solve

LIKE = torch.zeros(1)


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> Blocks:
    few = Blocks(4 * reused.UNIT)
    monkeypatch.setattr(reused, "BLOCKS", few)
    monkeypatch.setattr(reused, "LARGE", 1000)
    return few


def test_what_nothing_holds_is_used_again() -> None:
    first = empty(LIKE, 20, 30)
    place = first.data_ptr()
    view = first[3:].transpose(0, 1)
    second = empty(LIKE, 20, 30)
    del first
    third = empty(LIKE, 20, 30)  # the view still holds the first
    assert len({place, second.data_ptr(), third.data_ptr()}) == 3
    del view
    assert empty(LIKE, 19, 31).data_ptr() == place


def test_no_more_is_kept_than_allowed(blocks: Blocks) -> None:
    held = [empty(LIKE, 500) for _ in range(5)]
    assert not blocks.free
    del held
    assert len(blocks.free) == 4


def test_a_block_is_neither_too_small_nor_far_too_large(blocks: Blocks) -> None:
    blocks.give_back(np.empty(reused.UNIT, np.uint8))
    assert len(blocks.take(reused.UNIT + 1)) == 2 * reused.UNIT
    assert len(blocks.free) == 1
    blocks.give_back(np.empty(3 * reused.UNIT, np.uint8))
    assert len(blocks.take(2)) == reused.UNIT
    assert len(blocks.take(2)) == reused.UNIT
    assert len(blocks.free) == 1


def test_little_is_left_to_pytorch(blocks: Blocks) -> None:
    empty(LIKE, 249)
    empty(LIKE.half(), 10000)
    assert not blocks.free


def test_what_was_there_before_does_not_matter(blocks: Blocks) -> None:
    p = problem(5, 3, 2, 32, [5, 1, 3])
    first = solve(p, "cpu")
    assert blocks.free
    for block in blocks.free:
        block.fill(255)  # NaN
    again = solve(p, "cpu")
    assert all(torch.equal(first[name], again[name]) for name in NAMES)
