"""The tagger that ships, on texts that nobody tuned it on but for their manner."""

from pathlib import Path

import pytest

from cloze.builder.marked_texts import read_texts
from cloze.errors import UserError
from cloze.finding import pipeline_called
from cloze.names.detection import Tagger

TEXTS = Path(__file__).parents[1] / "fresh" / "texts"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    found = pipeline_called("encoder")
    assert found is not None
    assert not isinstance(found, str)
    return found


def test_titles_and_roles_are_no_part_of_a_name(tagger: Tagger) -> None:
    text = "Cllr Clara Vennick, of the Tollan Harbour Board, thanked Sgt Oke in Paris on Monday."
    (found,) = tagger.spans([text])
    assert [(text[start:end], kind) for start, end, kind in found] == [
        ("Clara Vennick", "PERSON"), ("Tollan Harbour Board", "ORG"), ("Oke", "PERSON"),
        ("Paris", "GPE"),
    ]  # fmt: skip


def test_nine_names_in_ten_of_some_fresh_texts(tagger: Tagger) -> None:
    texts = [t for t in read_texts(TEXTS, "look") if t.manner in ("newswire", "product recall")]
    right = gold = 0
    for text, found in zip(texts, tagger.spans(t.article.text for t in texts), strict=True):
        marks = {(mark.start, mark.end) for mark in text.article.marks}
        right += len(marks & {(start, end) for start, end, _ in found})
        gold += len(marks)
    assert right >= 0.9 * gold


def test_it_reads_english_only() -> None:
    with pytest.raises(UserError, match="English only"):
        pipeline_called("encoder", "de")
