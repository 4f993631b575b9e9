import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.errors import UserError
from cloze.naming import apply, blinded, draw, renamed
from cloze.randomness import key_of
from tests.conftest import document_of, question_of

KEYS = np.array([key_of(f"question-{k}") for k in range(5)], np.uint64)
COUNTS = np.array([3, 1, 26, 0, 7])


def split(drawn: np.ndarray) -> list[np.ndarray]:
    return np.split(drawn, np.cumsum(COUNTS)[:-1])


def test_the_same_triple_gives_the_same_markers_in_any_order_and_company() -> None:
    together = split(draw(7, 2, KEYS, COUNTS, 600))
    backwards = draw(7, 2, KEYS[::-1], COUNTS[::-1], 600)
    for k, markers in enumerate(together):
        alone = draw(7, 2, KEYS[k : k + 1], COUNTS[k : k + 1], 600)
        assert alone.tolist() == markers.tolist()
    assert sorted(backwards.tolist()) == sorted(np.concatenate(together).tolist())


def test_the_same_triple_gives_the_same_markers_in_another_process() -> None:
    script = (
        "import numpy as np; from cloze.naming import draw; "
        "from cloze.randomness import key_of; "
        "print(draw(7, 2, np.array([key_of('question-2')], np.uint64), [26], 600).tolist())"
    )
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert other.stdout.strip() == str(split(draw(7, 2, KEYS, COUNTS, 600))[2].tolist())


def test_epochs_seeds_and_examples_differ() -> None:
    drawn = {
        tuple(draw(seed, epoch, KEYS[k : k + 1], [20], 600))
        for seed in (0, 1)
        for epoch in (0, 1, 2)
        for k in range(5)
    }
    assert len(drawn) == 30


@given(
    st.integers(0, 2**63), st.integers(0, 1000), st.lists(st.integers(0, 40), min_size=1), st.data()
)
def test_markers_are_distinct_and_within_the_pool(
    seed: int, epoch: int, counts: list[int], data: st.DataObject
) -> None:
    pool = data.draw(st.one_of(st.none(), st.integers(max(counts), 80)))
    keys = np.arange(len(counts), dtype=np.uint64)
    drawn = np.split(draw(seed, epoch, keys, np.array(counts), pool), np.cumsum(counts)[:-1])
    for count, markers in zip(counts, drawn, strict=True):
        assert len(set(markers.tolist())) == count
        assert all(0 <= m < (count if pool is None else pool) for m in markers)


@pytest.mark.parametrize("pool", [None, 12])
def test_uniform_over_the_pool(pool: int | None) -> None:
    """Chi-square over 20,000 examples: each marker equally likely for each entity."""
    keys = np.arange(20_000, dtype=np.uint64)
    counts = np.full(20_000, 6)
    drawn = draw(3, 0, keys, counts, pool).reshape(-1, 6)
    size = pool or 6
    for entity in range(6):
        seen = np.bincount(drawn[:, entity], minlength=size)
        chi2 = ((seen - 20_000 / size) ** 2 / (20_000 / size)).sum()
        assert chi2 < 40  # p < 1e-4 at 11 degrees of freedom


def test_a_pool_too_small_is_refused() -> None:
    with pytest.raises(UserError, match="26 entities but the marker pool has only 10"):
        draw(0, 0, KEYS, COUNTS, 10)


def test_context_question_and_answer_move_together() -> None:
    """Two examples in one flat array; ids 4.. are markers, 100 and more are words."""
    tokens = np.array([100, 4, 101, 5, 4] + [4, 102, 6])
    drawn = np.array([9, 2, 7, 0, 5])  # example 0 has two entities, example 1 three
    starts = np.array([0] * 5 + [2] * 3)
    renamed = apply(tokens, 4, 50, drawn, starts)
    assert renamed.tolist() == [100, 4 + 9, 101, 4 + 2, 4 + 9] + [4 + 7, 102, 4 + 5]
    assert tokens.tolist() == [100, 4, 101, 5, 4, 4, 102, 6]


def test_a_document_is_renamed_everywhere_alike() -> None:
    document = document_of("@entity3 met @entity1 , @entity3 left @entity8")
    question = question_of("@placeholder met @entity1 and @entity30", 3, document)
    (shown, (asked,)), back = renamed(document, [question], seed=5)
    assert sorted(shown.candidates()) == [1, 3, 8]
    assert [m if m < 0 else back[m] for m in shown.context.markers] == list(
        document.context.markers
    )
    assert back[asked.answer] == question.answer
    assert shown.name_of(asked.answer) == document.name_of(question.answer)
    assert shown.context.surfaces == document.context.surfaces
    assert asked.query.gap == 0
    assert asked.query.markers[-1] == 30  # not an entity of the document: it keeps its name
    seen = {renamed(document, [question], seed)[0][0].candidates()[0] for seed in range(30)}
    assert seen == {1, 3, 8}


def test_a_blinded_document_has_nothing_but_its_names() -> None:
    document = document_of("@entity3 met @entity1 , @entity3 left")
    orders = {tuple(blinded(document, seed).context.tokens) for seed in range(30)}
    assert orders == {("@entity3", "@entity1"), ("@entity1", "@entity3")}
