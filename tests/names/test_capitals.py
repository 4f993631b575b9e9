"""Names that are recognised only by their capitals."""

import pytest

from cloze.names.language import load_language
from cloze.names.mentions import find_mentions
from cloze.names.tokens import tokenise

ENGLISH = load_language("en")

FILLER = " It was a long and quiet day and nothing else of any note was seen by the people there."


def names_in(text: str, *tagged: str) -> list[str]:
    spans = [(text.index(name), text.index(name) + len(name), "PERSON") for name in tagged]
    tokens = tokenise(text + FILLER, ENGLISH)
    _, (mentions,) = find_mentions([tokens], [spans], ENGLISH)
    return [" ".join(tokens.words[m.first : m.last]) for m in mentions]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She was tested for Zebola again.", ["Zebola"]),
        ("The band One Direction plays.", ["One Direction"]),
        ("They saw the Siege of Petersburg end.", ["Siege of Petersburg"]),
        ("The club Paris Saint-Germain won.", ["Paris Saint - Germain"]),
        ('She won for her role in "Cabaret" then.', ["Cabaret"]),
        ('He wrote "The Kid Stays in the Picture" then.', ["The Kid Stays in the Picture"]),
        ("NASA sent it up.", ["NASA"]),
        ("We saw the Prime Minister on Friday on TV.", []),
        ("He said in March that the CEO left.", []),
        ("Suddenly it rained.", []),
        ('"Suddenly," he said.', []),
        ("It was a House of cards, a house.", []),
    ],
)
def test_capitals(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def test_a_name_cut_short_is_made_whole() -> None:
    assert names_in("So says David Gilling today.", "Gilling") == ["David Gilling"]
    assert names_in("So says Prime Minister Gilling today.", "Gilling") == ["Gilling"]


def test_where_capitals_are_everywhere_they_say_nothing() -> None:
    german = "Der Mann und die Frau sahen im Haus den Hund und die Katze auf dem Dach am Morgen."
    assert (
        names_in(
            german.replace(".", " und die Sonne mit dem Mond am Abend im Wald bei der Stadt.") * 3
        )
        == []
    )
