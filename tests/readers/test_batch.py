"""Batches: markers drawn as `cloze.naming` draws them, each example by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.naming import draw
from cloze.readers.batch import Batch, collate
from cloze.readers.encode_points import encode_points
from cloze.text import Text, marker_of
from tests.readers.points import VOCABULARY, points_of, seeds

pools = st.sampled_from([None, VOCABULARY.pool])


def by_hand(text: Text, naming: dict[int, int]) -> list[int]:
    """Token ids of a text under a naming of the corpus's markers."""
    named = {f"@entity{marker}": 4 + new for marker, new in naming.items()}
    return [named[t] if t in named else VOCABULARY.id(t) for t in text.tokens]


@settings(max_examples=30)
@given(seed=seeds, epoch=st.integers(0, 5), pool=pools)
def test_a_batch_is_what_one_makes_by_hand(seed: int, epoch: int, pool: int | None) -> None:
    points = points_of(seed)
    split = encode_points(points, VOCABULARY)
    batch = collate(split, np.arange(len(split)), seed=seed, epoch=epoch, pool=pool)
    asked = [(document, question) for document, own in points for question in own]
    for b, (document, question) in enumerate(asked):
        key = split.question_keys[b : b + 1]
        count = len(document.entities)
        drawn = draw(seed, epoch, key, np.asarray([count]), pool).tolist()
        naming = {e.marker: new for e, new in zip(document.entities, drawn, strict=True)}
        length = int(batch.document_lengths[b])
        assert batch.document[:length, b].tolist() == by_hand(document.context, naming)
        assert not batch.document[length:, b].any()
        length = int(batch.question_lengths[b])
        assert batch.question[:length, b].tolist() == by_hand(question.query, naming)
        assert not batch.question[length:, b].any()
        assert batch.answers[b] == 4 + naming[question.answer]
        order = [k for k, e in enumerate(document.entities) if e.marker in document.candidates()]
        found = batch.entities[b].tolist()
        assert found == order + [-1] * (len(found) - len(order))
        ids = [4 + drawn[k] for k in order]
        assert batch.candidates[b].tolist() == ids + [0] * (len(found) - len(order))


@settings(max_examples=30)
@given(seed=seeds, epoch=st.integers(0, 5))
def test_entities_can_be_numbered_in_the_order_of_mention(seed: int, epoch: int) -> None:
    points = points_of(seed)
    split = encode_points(points, VOCABULARY)
    batch = collate(split, np.arange(len(split)), seed=seed, epoch=epoch, pool=0)
    asked = [(document, question) for document, own in points for question in own]
    for b, (document, question) in enumerate(asked):
        both = document.context.tokens + question.query.tokens
        mentioned = list(dict.fromkeys(marker_of(t) for t in both if marker_of(t) >= 0))
        naming = {marker: number for number, marker in enumerate(mentioned)}
        length = int(batch.document_lengths[b])
        assert batch.document[:length, b].tolist() == by_hand(document.context, naming)
        length = int(batch.question_lengths[b])
        assert batch.question[:length, b].tolist() == by_hand(question.query, naming)
        assert batch.answers[b] == 4 + naming[question.answer]
        found = [c for c in batch.candidates[b].tolist() if c]
        assert sorted(found) == [4 + k for k in range(len(document.candidates()))]


@settings(max_examples=20)
@given(seed=seeds, pool=st.sampled_from([None, VOCABULARY.pool, 0]), data=st.data())
def test_an_example_is_the_same_in_any_batch(
    seed: int, pool: int | None, data: st.DataObject
) -> None:
    split = encode_points(points_of(seed), VOCABULARY)
    whole = collate(split, np.arange(len(split)), seed=1, epoch=2, pool=pool)
    some = data.draw(st.lists(st.integers(0, len(split) - 1), min_size=1, max_size=5))
    batch = collate(split, np.asarray(some), seed=1, epoch=2, pool=pool)
    for b, k in enumerate(some):
        n = int(batch.document_lengths[b])
        assert batch.document[:n, b].tolist() == whole.document[:n, k].tolist()
        assert batch.answers[b] == whole.answers[k]


def test_epochs_and_seeds_draw_anew() -> None:
    split = encode_points(points_of(3, documents=12), VOCABULARY)
    every = np.arange(len(split))

    def documents(seed: int, epoch: int) -> list[list[int]]:
        return list(collate(split, every, seed=seed, epoch=epoch, pool=8).document.tolist())

    assert documents(0, 0) == documents(0, 0)
    assert documents(0, 0) != documents(0, 1)
    assert documents(0, 0) != documents(1, 0)


def test_where_the_answer_stands() -> None:
    split = encode_points(points_of(5), VOCABULARY)
    batch = collate(split, np.arange(len(split)), seed=0, epoch=0, pool=8)
    for b, place in enumerate(batch.answer_positions.tolist()):
        assert batch.candidates[b, place] == batch.answers[b]
    fields = [batch.document, batch.document_lengths, batch.question, batch.question_lengths]
    lost = Batch(*fields, batch.candidates, batch.entities, batch.answers * 0)
    assert (lost.answer_positions == -1).all()


def test_moving_keeps_everything() -> None:
    split = encode_points(points_of(5), VOCABULARY)
    batch = collate(split, np.arange(3), seed=0, epoch=0, pool=None)
    moved = batch.to("cpu")
    assert (moved.document == batch.document).all()
    assert len(moved) == 3
    with pytest.raises(AttributeError):
        moved.document = batch.question  # type: ignore[misc]
