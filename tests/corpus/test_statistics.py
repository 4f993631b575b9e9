import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze.corpus.statistics import SplitStatistics, counted, frequency_ranks, measure
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus, write_manifest, write_shard
from tests.conftest import document_of, question_of


def test_measured_by_hand(tmp_path: Path) -> None:
    first = document_of("a @entity1 b @entity0 @entity1 c", "d0")  # 6 tokens, 2 entities
    second = document_of("a @entity2 @entity3 @entity4 d", "d1")  # 5 tokens, 3 entities
    asked = [
        question_of("@placeholder b", 1, first, 0),  # rank 1
        question_of("e @placeholder", 0, first, 1),  # rank 2
    ]
    also = [question_of("@placeholder", 4, second, 0)]  # rank 3: tied, and mentioned third
    write_shard(tmp_path, "valid", 0, [(first, asked), (second, also)])
    write_manifest(tmp_path, name="cnn", options={})
    found = measure(Corpus.open(tmp_path))
    split = found.splits["valid"]
    assert (split.documents, split.queries, split.max_entities) == (2, 3, 3)
    assert (split.entities_a_document, split.tokens_a_document) == (2.5, 5.5)
    # Two of the three questions are about the first document.
    assert split.avg_entities == pytest.approx((2 * 2 + 3) / 3)
    assert split.avg_tokens == pytest.approx((2 * 6 + 5) / 3)
    assert {n: round(share, 1) for n, share in split.top.items()} == {
        1: 33.3,
        2: 66.7,
        3: 100,
        5: 100,
        10: 100,
    }
    assert found.vocabulary == 6  # a b c d e @placeholder


def test_parts_add_up_to_the_whole(make_corpus: Callable[..., Path]) -> None:
    """As the workers of a build count them: each part separately, sent as JSON, then merged."""
    corpus = Corpus.open(make_corpus(documents=5))
    whole = measure(corpus)
    merged = SplitStatistics()
    for point in corpus.read("valid"):
        part = SplitStatistics()
        assert list(counted([point], part)) == [point]
        merged.merge(SplitStatistics.from_json(json.loads(json.dumps(part.as_json()))))
    assert merged == whole.splits["valid"]
    assert merged.documents == 5
    assert SplitStatistics.from_json(SplitStatistics().as_json()) == SplitStatistics()


def test_ties_by_first_mention() -> None:
    assert frequency_ranks(document_of("@entity3 @entity1 @entity1 @entity2")) == {1: 1, 3: 2, 2: 3}


def test_the_paper_beside_ours(make_corpus: Callable[..., Path]) -> None:
    size, hardness = tables(measure(Corpus.open(make_corpus())), "cnn")
    assert size.heads == ["", "train", "paper", "diff", "valid", "paper", "diff"]
    assert size.rows[1] == ["# queries", "6", "380,298", "-100.0 %", "6", "3,924", "-99.8 %"]
    assert hardness.rows[0][-3:] == ["50.0", "30.5", "+19.5"]
