"""A text knows its markers, its gap, where each entity occurs, and its sentences."""

from hypothesis import given
from hypothesis import strategies as st

from cloze.text import A_WORD, AFTER, PLACEHOLDER, THE_GAP, Spacing, Text, marker_of

tokens = st.sampled_from(["the", ".", "!", "...", "''", "@entity0", "@entity7", PLACEHOLDER, "@x"])
texts = st.lists(st.tuples(tokens, st.sampled_from([0, 1, 2]))).map(
    lambda pairs: Text([t for t, _ in pairs], [t.upper() for t, _ in pairs], [k for _, k in pairs])
)


def text_of(line: str) -> Text:
    """Words of a line; a word that ends in | ends its paragraph, one that ends in + is glued."""
    words = line.split()
    ends = {"|": Spacing.PARAGRAPH, "+": Spacing.NOTHING}
    tokens = [word.rstrip("|+") for word in words]
    return Text(tokens, tokens, [int(ends.get(word[-1], Spacing.SPACE)) for word in words])


def sentences(line: str) -> list[str]:
    text = text_of(line)
    return [" ".join(text.tokens[places]) for places in text.sentences()]


def test_the_views_of_a_question() -> None:
    text = text_of("@entity3 met @placeholder and @entity1 near @entity3")
    assert text.markers.tolist() == [3, A_WORD, THE_GAP, A_WORD, 1, A_WORD, 3]
    assert text.gap == 2
    assert text.mentions() == {3: [0, 6], 1: [4]}
    assert list(text.mentions()) == [3, 1]  # by first mention
    assert list(text.words())[:2] == [("@entity3", 3, " "), ("met", A_WORD, " ")]
    assert text_of("no gap here").gap == -1


@given(texts)
def test_the_views_agree_with_the_tokens(text: Text) -> None:
    assert text.markers.dtype == "int32"
    for place, (surface, marker, after) in enumerate(text.words()):
        token = text.tokens[place]
        assert marker == (THE_GAP if token == PLACEHOLDER else marker_of(token))
        assert (surface, after) == (text.surfaces[place], AFTER[text.spacing[place]])
        assert (place in text.mentions().get(marker, ())) == (marker >= 0)
    assert text.gap == next((k for k, t in enumerate(text.tokens) if t == PLACEHOLDER), -1)


@given(texts)
def test_sentences_cover_the_text_once_in_order(text: Text) -> None:
    parts = [text[places] for places in text.sentences()]
    assert [token for part in parts for token in part.tokens] == text.tokens
    assert all(len(part) for part in parts)
    for part in parts:
        assert Spacing.PARAGRAPH not in part.spacing[:-1]


def test_sentences_end_at_marks_and_paragraphs() -> None:
    assert sentences("a . b ? c ! d ... e") == ["a .", "b ?", "c !", "d ...", "e"]
    assert sentences("a| b") == ["a", "b"]
    assert sentences("") == []


def test_a_closing_mark_belongs_to_the_sentence_before_it() -> None:
    assert sentences("`` no+ .+ '' he left+ . he") == ["`` no . ''", "he left .", "he"]
    assert sentences("( no+ .+ ) he") == ["( no . )", "he"]


def test_a_full_stop_inside_a_word_ends_nothing() -> None:
    assert sentences("example+ .+ org is down") == ["example . org is down"]
