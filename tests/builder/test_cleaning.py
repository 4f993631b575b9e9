"""The named cleaning rules, and that none of them moves a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.builder import cleaning
from cloze.names.language import load_language

ENGLISH = load_language("en")
RULES = {rule.name: rule for of in ("article", "highlight") for rule in cleaning.rules(ENGLISH, of)}


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("dateline", "(CNN) -- A man", "A man"),
        ("dateline", "(CNN)A man", "A man"),
        ("dateline", "Sanaa, Yemen (CNN) A man", "A man"),
        ("dateline", "WASHINGTON (CNN)  -- A man", "A man"),
        ("dateline", "LONDON (Reuters) - Shares", "Shares"),
        ("dateline", "(The Weekly Post)A man", "A man"),
        ("dateline", "(Garden Life) -- A man", "A man"),
        ("dateline", "Rebels of the army (LRA) fled", "Rebels of the army (LRA) fled"),
        ("dateline", "A group of people (ATV riders) fled", "A group of people (ATV riders) fled"),
        ("dateline", "He said (CNN) -- no", "He said (CNN) -- no"),
        ("byline", "By\nAlex Ward\n\nA trader", "A trader"),
        ("byline", "By the sea, a trader", "By the sea, a trader"),
        (
            "published",
            "By \nAlex Ward\n\nPUBLISHED:\n\n09:16 EST, 29 May 2013\n\n\n| \n\nUPDATED:\n\n"
            "10:51 EST, 29 May 2013\n\nA trader",
            "A trader",
        ),
        (
            "last updated",
            "By \nA B\n\nLast updated at 4:32 PM on 15th February 2012\n\nA trader",
            "A trader",
        ),
        ("directions", "One.\n\nScroll down for video\n\nTwo.", "One.\n\n \n\nTwo."),
        ("new", "NEW: The host was dropped", "The host was dropped"),
        ("new", "New York: a host was dropped", "New York: a host was dropped"),
        ("invisible", "a\u200bb\x00c\ufeff", "a b c"),
    ],
)
def test_rules(rule: str, before: str, after: str) -> None:
    cleaned = cleaning.invisible(before) if rule == "invisible" else RULES[rule].clean(before)
    assert cleaned.split() == after.split()
    assert len(cleaned) == len(before)


@given(st.text() | st.text(alphabet="By\n (CNN)-:PUBLISHEDUPDATEDNW1"))
def test_every_character_keeps_its_place(text: str) -> None:
    for cleaned in (cleaning.clean_article(text, ENGLISH), cleaning.clean_highlight(text, ENGLISH)):
        assert len(cleaned) == len(text)
        assert all(new in (old, " ") for new, old in zip(cleaned, text, strict=True))
