"""Tokens: the paper's example, splits that must and must not happen, and what is never lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.names.language import load_language
from cloze.names.tokens import lowered, tokenise
from cloze.text import Text

ENGLISH = load_language("en")

# Table 3 of the paper: the original and, with the names left in, its tokens.
CONTEXT = (
    'The BBC producer allegedly struck by Jeremy Clarkson will not press charges against the "Top '
    'Gear" host, his lawyer said Friday. Clarkson, who hosted one of the most-watched television '
    "shows in the world, was dropped by the BBC Wednesday after an internal investigation by the "
    'British broadcaster found he had subjected producer Oisin Tymon "to an unprovoked physical '
    'and verbal attack."'
)
TOKENS = (
    "the bbc producer allegedly struck by jeremy clarkson will not press charges against the `` top "
    "gear '' host , his lawyer said friday . clarkson , who hosted one of the most - watched "
    "television shows in the world , was dropped by the bbc wednesday after an internal "
    "investigation by the british broadcaster found he had subjected producer oisin tymon `` to an "
    "unprovoked physical and verbal attack . ''"
)


def test_the_papers_example() -> None:
    assert " ".join(lowered(tokenise(CONTEXT, ENGLISH), ENGLISH)) == TOKENS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Clarkson's show didn't air; we'll see", "Clarkson 's show did n't air ; we 'll see"),
        ("the U.S. said at 10:30 a.m. today.", "the U.S. said at 10:30 a.m. today ."),
        ("Mr. J. Edgar met Dr. O'Brien.", "Mr. J. Edgar met Dr. O'Brien ."),
        ("1,220 of 3.5 million, 50% or $5", "1,220 of 3.5 million , 50 % or $ 5"),
        ("(CNN)Singer-songwriter David", "( CNN ) Singer - songwriter David"),
        ("he said.The end...", "he said . The end ..."),
        ("AT&T and CNN.com -- and/or the '90s", "AT&T and CNN.com -- and/or the '90s"),
        ("see http://a.org/b?c, and @user #tag", "see http://a.org/b?c , and @ user # tag"),
        ("write to tips@example.com.", "write to tips@example.com ."),
        ("the Smiths' house", "the Smiths ' house"),
        ("we cannot go", "we can not go"),
        ("華為ABC公司在深圳3天", "華 為 ABC 公 司 在 深 圳 3 天"),
        ("", ""),
        (" \n\t ", ""),
    ],
)
def test_splits(text: str, words: str) -> None:
    assert " ".join(tokenise(text, ENGLISH).words) == words


def test_text_cannot_fake_a_marker() -> None:
    assert "@entity5" not in lowered(tokenise("I met @entity5 and @placeholder", ENGLISH), ENGLISH)
    assert "@placeholder" not in lowered(
        tokenise("I met @entity5 and @placeholder", ENGLISH), ENGLISH
    )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('"a" "b"', "`` a '' `` b ''"),
        ('("a")', "( `` a '' )"),
        ("“a” ‘b’", "`` a '' ` b '"),
        ('said: "No."\n\n"Yes."', "said : `` no . '' `` yes . ''"),
        ('a " b " c', "a `` b '' c"),
    ],
)
def test_quotation_marks_face_the_right_way(text: str, tokens: str) -> None:
    assert " ".join(lowered(tokenise(text, ENGLISH), ENGLISH)) == tokens


anything = st.text(max_size=80) | st.text(alphabet="aB9.,'’\"- \n&/@()", max_size=80)


@given(anything)
def test_no_letter_is_lost_and_no_token_holds_white_space(text: str) -> None:
    tokens = tokenise(text, ENGLISH)
    assert "".join(tokens.words) == "".join(text.split())
    assert all(word and not any(c.isspace() for c in word) for word in tokens.words)
    assert all(text.startswith(w, s) for w, s in zip(tokens.words, tokens.starts, strict=True))
    assert len(lowered(tokens, ENGLISH)) == len(tokens.words) == len(tokens.spacing)


@given(st.lists(st.lists(st.sampled_from(["One,", "two-three", "it's", '"so"']), min_size=1)))
def test_the_spacing_gives_the_text_back(paragraphs: list[list[str]]) -> None:
    text = "\n\n".join(" ".join(words) for words in paragraphs)
    tokens = tokenise(text, ENGLISH)
    assert Text(lowered(tokens, ENGLISH), tokens.words, tokens.spacing).original == text
