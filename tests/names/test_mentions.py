"""Mentions: a name found once is found everywhere, longest first, with nothing around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.names.language import load_language
from cloze.names.mentions import find_mentions
from cloze.names.name import Span
from cloze.names.tokens import tokenise

ENGLISH = load_language("en")


def found(*texts: str, names: dict[str, str]) -> list[list[str]]:
    """The mentions in each text when a tagger saw each of `names` (with its type) only once."""
    spans: list[list[Span]] = [[] for _ in texts]
    for name, label in names.items():
        number = next(i for i, text in enumerate(texts) if name in text)
        start = texts[number].index(name)
        spans[number].append((start, start + len(name), label))
    tokens = [tokenise(text, ENGLISH) for text in texts]
    _, mentions = find_mentions(tokens, spans, ENGLISH)
    return [
        [" ".join(own.words[m.first : m.last]) for m in here]
        for own, here in zip(tokens, mentions, strict=True)
    ]


def test_found_once_is_found_everywhere() -> None:
    article, highlight = found(
        "He left the BBC. At the BBC he was liked.",
        "A man of the BBC",
        names={"BBC": "ORG"},
    )
    assert article == ["BBC", "BBC"]
    assert highlight == ["BBC"]


def test_a_highlights_name_is_found_in_the_article() -> None:
    article, _ = found("Was Sigma Beta closed?", "Sigma Beta closes", names={"Sigma Beta": "ORG"})
    assert article == ["Sigma Beta"]


def test_the_longest_name_wins() -> None:
    (article,) = found(
        "In New York the New York Times and New York agreed.",
        names={"New York": "GPE", "New York Times": "ORG"},
    )
    assert article == ["New York", "New York Times", "New York"]


def test_a_surname_no_tagger_saw() -> None:
    (article,) = found(
        "So Ann Tillow left. Nobody knows why Tillow left.", names={"Ann Tillow": "PERSON"}
    )
    assert article == ["Ann Tillow", "Tillow"]


@pytest.mark.parametrize(
    ("text", "span", "label", "mention"),
    [
        ("He met the Beatles today.", "the Beatles", "ORG", "Beatles"),
        ("It was Obama's day.", "Obama's", "PERSON", "Obama"),
        ("An anti-Zembla mood rose.", "anti-Zembla", "GPE", "Zembla"),
        ("We saw President Ann Tillow.", "President Ann Tillow", "PERSON", "Ann Tillow"),
        ("When Walter Pim left, it rained.", "When Walter Pim", "PERSON", "Walter Pim"),
        ("The Zembla-led talks", "Zembla-led", "GPE", "Zembla"),
        ("He saw (Tillow today", "(Tillow", "PERSON", "Tillow"),
        ('She sang "The Long Road" twice.', '"The Long Road"', "WORK_OF_ART", "The Long Road"),
    ],
)
def test_nothing_clings_to_a_name(text: str, span: str, label: str, mention: str) -> None:
    assert found(text, names={span: label}) == [[mention]]


def test_lists_are_cut() -> None:
    (article,) = found("So he met Kassim, Pardew and others.", names={"Kassim, Pardew": "ORG"})
    assert article == ["Kassim", "Pardew"]


def test_the_capital_of_a_sentence_is_no_name() -> None:
    article, highlight = found(
        "The court sat. I saw a court there.", "Court documents say so", names={"Court": "ORG"}
    )
    assert article == []
    assert highlight == []


def test_a_plain_word_at_the_beginning_counts_only_where_it_was_tagged() -> None:
    (article,) = found(
        "It was Jobs who spoke. Jobs were lost, and jobs matter.", names={"Jobs": "PERSON"}
    )
    assert article == ["Jobs"]


def test_a_script_without_capitals() -> None:
    assert found("王小明在深圳。深圳很大。", names={"王小明": "PERSON", "深圳": "GPE"}) == [
        ["王 小 明", "深 圳", "深 圳"]
    ]


def test_dates_and_numbers_are_no_names() -> None:
    assert found("He came on Friday with 500.", names={"Friday": "DATE", "500": "CARDINAL"}) == [[]]
    assert found("He came on Friday with us.", names={"Friday": "ORG"}) == [[]]


def test_a_name_does_not_reach_over_a_paragraph() -> None:
    (article,) = found("I like New York.\n\nNew\n\nYork is old.", names={"New York": "GPE"})
    assert article == ["New York"]


@given(st.text(alphabet="Ab c.'\"-\n", max_size=60), st.data())
def test_mentions_never_overlap_and_never_fail(text: str, data: st.DataObject) -> None:
    spans = [
        (
            start,
            data.draw(st.integers(start, len(text))),
            data.draw(st.sampled_from(["PERSON", "ORG"])),
        )
        for start in sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    ]
    tokens = tokenise(text, ENGLISH)
    names, (mentions,) = find_mentions([tokens], [spans], ENGLISH)
    last = 0
    for mention in mentions:
        assert last <= mention.first < mention.last <= len(tokens.words)
        assert names[mention.name].words == tuple(tokens.words[mention.first : mention.last])
        last = mention.last
