"""The fresh texts keep the rules of README.md, and no paraphrase gives its answer away."""

from pathlib import Path
from typing import Any

import pytest

from cloze.ask.gap import find_gap
from cloze.builder.marked_texts import Marked, MarkedText, read_marks, read_texts
from cloze.errors import UserError
from cloze.names.name import TYPES

FOLDER = Path(__file__).parent
TEXTS, LATER = read_texts(FOLDER / "texts"), read_texts(FOLDER / "later")
each_text = pytest.mark.parametrize("text", [*TEXTS, *LATER], ids=lambda text: text.id)
CONTENT = {"NOUN", "VERB", "ADJ", "ADV", "NUM"}


def test_there_are_enough_of_everything() -> None:
    assert len(TEXTS) >= 30
    assert len({text.manner for text in TEXTS}) >= 30
    assert sum(text.manner == "newswire" for text in TEXTS) >= 5
    assert sum(len(text.plain) for text in TEXTS) >= 150
    assert sum(len(text.paraphrased) for text in TEXTS) >= 100
    halves = [text.half for text in TEXTS]
    assert halves.count("look") == halves.count("final") == len(TEXTS) / 2
    assert len({text.id for text in (*TEXTS, *LATER)}) == len(TEXTS) + len(LATER)
    assert all(text.half == "final" for text in LATER)


@each_text
def test_entities_are_declared_and_used(text: MarkedText) -> None:
    assert set(text.types.values()) <= TYPES
    asked = [*text.plain, *text.paraphrased]
    used = {mark.key for each in (text.article, *(q.ask for q in asked)) for mark in each.marks}
    assert used == set(text.types)
    for each in (text.article, *(q.ask for q in asked)):
        assert not set("[]{}") & set(each.text), each.text
        assert all(name == name.strip() for name in _names(each))


@each_text
def test_questions_can_be_answered(text: MarkedText) -> None:
    present = {mark.key for mark in text.article.marks}
    assert len(text.plain) >= 5
    assert len(text.paraphrased) >= 4
    assert len({question.answer for question in text.plain}) >= 4
    for question in (*text.plain, *text.paraphrased):
        find_gap(question.ask.text)  # refuses one without a gap or with two
        assert question.answer in present
        # The question must not name its own answer.
        assert question.answer not in {mark.key for mark in question.ask.marks}


@each_text
def test_answering_sentences_stand_in_the_article(text: MarkedText) -> None:
    for question in text.paraphrased:
        marks = _sentence(text, question.sentence).marks
        assert question.answer in {mark.key for mark in marks}, question.sentence


def _names(marked: Marked) -> list[str]:
    return [marked.text[mark.start : mark.end] for mark in marked.marks]


def _sentence(text: MarkedText, sentence: str) -> Marked:
    """A sentence of the article with the marks in it."""
    article = " ".join(text.article.text.split("\n"))  # a line break is one character, like a space
    start = article.find(sentence)
    assert start >= 0, sentence
    end = start + len(sentence)
    inside = [mark for mark in text.article.marks if start <= mark.start and mark.end <= end]
    return Marked(sentence, [m._replace(start=m.start - start, end=m.end - start) for m in inside])


@pytest.fixture(scope="module")
def tagger() -> Any:
    pytest.importorskip("spacy", reason="spaCy finds the lemmas")
    from cloze.names.detection import pipeline_name, read_pipeline

    try:
        return read_pipeline(pipeline_name(None))
    except UserError as missing:
        pytest.skip(f"no pipeline to find lemmas with: {missing}")


def _content(marked: Marked, tagger: Any) -> set[str]:
    """The lemmas of the words that mean something, names left out."""
    return {
        word.lemma_.lower()
        for word in tagger(marked.text)
        if word.pos_ in CONTENT
        and word.text != "X"
        and not any(mark.start <= word.idx < mark.end for mark in marked.marks)
    }


@each_text
def test_no_paraphrase_shares_a_content_word(text: MarkedText, tagger: Any) -> None:
    for question in text.paraphrased:
        sentence = _sentence(text, question.sentence)
        shared = _content(question.ask, tagger) & _content(sentence, tagger)
        assert not shared, f"{question.ask.text} | {sentence.text}"


def test_the_check_of_content_words_finds_other_forms(tagger: Any) -> None:
    told = _content(read_marks("[Ann Brook]{ann} was carrying two boxes"), tagger)
    asked = _content(read_marks("A box was carried by X"), tagger)
    assert told & asked == {"box", "carry"}


def test_what_is_no_marked_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no texts"):
        read_texts(tmp_path)
    (tmp_path / "a.yaml").write_text("manner: minutes\n")
    with pytest.raises(UserError, match="has no 'half'"):
        read_texts(tmp_path)
    (tmp_path / "a.yaml").write_text(
        "manner: m\nhalf: look\nentities: {a: ORG}\narticle: '[B]{b}'\nplain: []\nparaphrased: []\n"
    )
    with pytest.raises(UserError, match="does not declare b"):
        read_texts(tmp_path)
