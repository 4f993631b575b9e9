"""The marked names of many manners of text, given to the second rules as a tagger would give them."""

from pathlib import Path

import pytest

from cloze.builder.cleaning import clean_article
from cloze.builder.marked_scores import MarkedScore, score_text
from cloze.builder.marked_texts import MarkedText, read_texts
from cloze.builder.prepare import prepare
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.stories import Story

HERE = Path(__file__).parent
LOOKED_AT = {
    "en": [
        *read_texts(HERE / "more"),
        *read_texts(HERE / "short"),
        *read_texts(HERE / "further"),
        *read_texts(HERE / "unseen"),
        *read_texts(HERE / "practice"),
        *read_texts(HERE.parent / "fresh/texts", "look"),
    ],
    "de": read_texts(HERE / "german"),
}


def score(text: MarkedText, code: str) -> MarkedScore:
    language = load_language(code, 2)
    story = Story(text.id, text.article.text, ())
    spans = [(mark.start, mark.end, text.types[mark.key]) for mark in text.article.marks]
    document = prepare(story, StorySpans(text.id, [spans]), language).document
    return score_text(text, document, clean_article(story.article, language))


@pytest.mark.parametrize("code", LOOKED_AT)
def test_with_the_right_spans_nearly_everything_is_right(code: str) -> None:
    total = MarkedScore()
    for text in LOOKED_AT[code]:
        assert {mark.key for mark in text.article.marks} <= set(text.types), text.id
        total.add(score(text, code))
    assert total.spans.f1 > 0.97
    assert total.b_cubed.f1 > 0.95
    assert total.split < 0.05 * total.entities
