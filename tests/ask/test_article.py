import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.ask.article import Asked, check_article, prepare_asked
from cloze.ask.gap import GAP, HAS_GAP, HAS_TWO_GAPS, Refusal, find_gap
from cloze.builder.cleaning import clean_article
from cloze.names.coreference.component import Place
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.text import PLACEHOLDER

from .conftest import ARTICLE, QUESTION, capitals


def prepared(article: str, question: str | None = None, highlights: tuple[str, ...] = ()):
    asked = Asked.of(article, highlights, question)
    return prepare_asked(asked, capitals(asked.to_tag))


def tagged(*texts: list[tuple[int, int, str]], clusters: list[list[Place]] | None = None):
    """What a tagger found: a story for each list of spans, with the clusters in the last."""
    spans = [StorySpans("article", [own]) for own in texts]
    return [*spans[:-1], spans[-1]._replace(clusters=clusters or [])]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Producer X resigned", "Producer ___ resigned"),
        ("X resigned", "___ resigned"),
        ("Lund sued X", "Lund sued ___"),
        ("Lund sued X's firm", "Lund sued ___'s firm"),
        ("The lawyer (X) spoke", "The lawyer (___) spoke"),
        ("Producer @placeholder resigned", "Producer ___ resigned"),
        ("Producer _____ resigned", "Producer ___ resigned"),
        ("Malcolm X met ___", "Malcolm X met ___"),
        ("SpaceX paid X for an X-ray", "SpaceX paid ___ for an X-ray"),
        ("  a   gap X\n here ", "a gap ___ here"),
        ("x resigned", "___ resigned"),
        ("Malcolm X met x", "Malcolm ___ met x"),
        ("The x-ray showed x", "The x-ray showed ___"),
        ("Who found her first?", "___ found her first"),
        ("who found her first", "___ found her first"),
        ("WHOM did Lund sue ?", "Lund sue ___"),
        ("Who did Lund meet?", "Lund meet ___"),
        ("What was sold?", "___ was sold"),
        ("Whose firm was sold?", "___'s firm was sold"),
        ("Which ship ran aground?", "___ ran aground"),
        ("Which of the ships ran aground?", "___ of the ships ran aground"),
        ("Which was sold?", "___ was sold"),
        ("Where was it sold?", "was it sold in ___"),
        ("Where did she go to?", "she go to ___"),
        ("Where Lund lives", "___ Lund lives"),
        ("Which city did she visit?", "she visit ___"),
        ("What ran aground near Frøya?", "___ ran aground near Frøya"),
        ("“Who’s there?” asked X", "“Who’s there?” asked ___"),
        ("Who met Malcolm X?", "Who met Malcolm ___?"),  # a letter is an explicit gap
        ("Where", "___"),
    ],
)
def test_every_way_to_mark_a_gap(written: str, text: str) -> None:
    found = find_gap(written)
    assert found.text == text
    assert found.text[found.start :].startswith(GAP)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("", "no_gap"),
        ("nobody resigned", "no_gap"),
        ("SpaceX launched", "no_gap"),
        ("a 2x4 resigned", "no_gap"),
        ("x sued x", "two_gaps"),
        ("Whoever resigned", "no_gap"),
        ("Asked who resigned", "no_gap"),
        ("X sued X", "two_gaps"),
        ("___ sued @placeholder", "two_gaps"),
    ],
)
def test_no_gap_or_two(written: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        find_gap(written)
    assert (refused.value.code, refused.value.field) == (code, "question")
    assert refused.value.fix


def test_the_words_that_ask_are_those_of_the_language() -> None:
    german = load_language("de")
    assert find_gap("Wer verkaufte das Bild?", german).text == "___ verkaufte das Bild"
    assert find_gap("Wessen Bild wurde verkauft?", german).text == "___ Bild wurde verkauft"
    assert find_gap("Welche Stadt verkauft es?", german).text == "___ verkauft es"
    with pytest.raises(
        Refusal, match=r"no gap; put X.* or begin with was, wem, wen, wer, wessen, wo"
    ):
        find_gap("Who sold it?", german)
    with pytest.raises(Refusal, match="no gap"):
        find_gap("Was it sold?")  # not the German word for what


def test_the_question_shares_the_markers_of_the_article() -> None:
    """Table 3 of the paper, with names of our own."""
    found = prepared(ARTICLE, QUESTION)
    names = {entity.name: entity.marker for entity in found.document.entities}
    assert found.question is not None
    venn = names["Mara Venn"]
    assert found.question.query.anonymised == f"engineer @placeholder will not sue @entity{venn}"
    assert found.document.context.tokens.count(f"@entity{venn}") == 2  # Mara Venn, Venn
    assert found.document.context.original == ARTICLE


def test_the_gap_keeps_its_spacing() -> None:
    found = prepared(ARTICLE, "The (X) case: X-ray of Lund's enemies".replace("X-ray", "a look"))
    assert found.question is not None
    assert found.question.query.original == "The (___) case: a look of Lund's enemies"


def test_highlights_give_gaps_and_else_the_lead_does() -> None:
    lead = prepared(ARTICLE).sentences
    assert {sentence.source for sentence in lead} == {"lead"}
    assert lead[0].text.original.startswith("The Harbour Line engineer")
    told = prepared(ARTICLE, highlights=("Venn insulted Lund", "nobody here")).sentences
    assert [sentence.source for sentence in told] == ["highlight", "highlight"]
    assert [q.query.tokens[0] for q in told[0].questions] == [PLACEHOLDER, told[0].text.tokens[0]]
    assert told[1].questions == []


def test_a_form_with_blanks_does_not_swallow_the_gap() -> None:
    article = "Signed: Mara ___ and Tobias Lund."
    asked = Asked.of(article, question="Mara ___ wrote to Lund")
    # a tagger took "Mara ___" for a name
    found = prepare_asked(asked, tagged([(8, 16, "PERSON"), (21, 32, "PERSON")], []))
    assert found.question is not None
    assert found.question.query.tokens.count(PLACEHOLDER) == 1


def test_what_touches_the_gap_is_no_name_and_the_rest_keeps_its_place() -> None:
    asked = Asked.of("Mara Venn left. Mara Venn came.", question="Mr X met Mara Venn (X-ray)")
    spans = [(0, 6, "PERSON"), (11, 20, "PERSON")]
    found = prepare_asked(asked, tagged([], spans, clusters=[[(0, 3, 6), (0, 11, 20)]]))
    assert found.question is not None
    assert found.question.query.anonymised == "mr @placeholder met @entity0 ( x - ray )"


def test_clusters_of_a_coreference_component_are_used() -> None:
    """What names alone cannot tell: that the chancellor and Mara Venn are one."""
    asked = Asked.of("Mara Venn spoke. The Iron Chancellor left.")
    spans = [(0, 9, "PERSON"), (21, 36, "PERSON")]
    apart = prepare_asked(asked, tagged(spans))
    together = prepare_asked(asked, tagged(spans, clusters=[[(0, 0, 9), (0, 17, 36)]]))
    assert len(apart.document.entities) == 2
    assert len(together.document.entities) == 1


@pytest.mark.parametrize("empty", ["", "  \n\n ", "\u2028", "\u200b\x00"])
def test_an_empty_article(empty: str) -> None:
    with pytest.raises(Refusal, match="the article is empty") as refused:
        check_article(empty)
    assert refused.value.field == "article"


def test_too_long_an_article_is_told_its_length() -> None:
    with pytest.raises(Refusal, match=r"has 8,001 tokens and at most 8,000 can be read"):
        prepared("word " * 8001)
    assert len(prepared("word " * 8000).document.context) == 8000
    # A name of many words is one token, so more words than 8,000 may fit.
    assert len(prepared("and Mara Venn " * 4000).document.context) == 8000
    with pytest.raises(Refusal, match=r"has 16,001 tokens"):
        check_article("word " * 16_001)


def test_sentences_end_where_they_should() -> None:
    text = prepared('He said "no." Then Mr. Lund left? Yes!\n\nA new line').document.context
    pieces = [text[places].original for places in text.sentences()]
    assert pieces == ['He said "no."', "Then Mr. Lund left?", "Yes!", "A new line"]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(before=words, after=words)
def test_any_question_with_one_sign_has_one_gap(before: str, after: str) -> None:
    """Whatever surrounds it, the gap becomes exactly one @placeholder token."""
    if re.search("@placeholder|__", before + " " + after):
        return
    found = prepared(ARTICLE, f"{before}@placeholder{after}")
    assert found.question is not None
    assert found.question.query.tokens.count(PLACEHOLDER) == 1


signs = st.sampled_from(
    ["X", "x", "@placeholder", "__", "___", " ", "a", "-", "é", "\n", ".", "'s", "_"]
    + ["who", "Which", "\u00a0", "“", "?"]
)


@settings(max_examples=500)
@given(st.lists(signs, max_size=6).map("".join))
def test_the_described_rules_are_the_rules(question: str) -> None:
    """The patterns of the OpenAPI description say exactly what is accepted."""
    described = bool(re.search(HAS_GAP, question)) and not re.search(HAS_TWO_GAPS, question)
    try:
        find_gap(question)
    except Refusal:
        assert not described
    else:
        assert described


@given(article=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_every_word_of_any_article_is_kept(article: str) -> None:
    """Everything except what `cloze build` also cleans away."""
    kept = clean_article(article, load_language("en"))
    try:
        found = prepared(article)
    except Refusal:
        assert not kept.strip()
        return
    assert "".join(found.document.context.original.split()) == "".join(kept.split())


@pytest.mark.parametrize("empty", ["\u200b \ufeff", "LONDON (Reuters) - \n", "By\nMara Venn\n\n"])
def test_an_article_of_which_cleaning_leaves_nothing(empty: str) -> None:
    with pytest.raises(Refusal, match="the article is empty"):
        prepared(empty)
