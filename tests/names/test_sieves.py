"""Each sieve by itself: what it joins and what it keeps apart."""

from collections import Counter

import pytest

from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.organisations import acronyms, designators, heads
from cloze.names.coreference.people import full_names, short_names, titles
from cloze.names.coreference.resolve import resolve
from cloze.names.coreference.spelling import flights, known_twins, same_spelling
from cloze.names.language import load_language
from cloze.names.name import Mention, Name
from cloze.names.tokens import tokenise

ENGLISH = load_language("en")


def name_of(text: str) -> Name:
    """ "Apple Inc./ORG" as a name with that type."""
    surface, _, label = text.partition("/")
    return Name(tuple(tokenise(surface, ENGLISH).words), Counter({label or "PERSON": 1}))


def together(sieve: object, *names: str) -> list[set[str]]:
    """The clusters of more than one name after the sieve."""
    made = [name_of(name) for name in names]
    clusters = Clusters(made)
    sieve(made, clusters, ENGLISH)  # type: ignore[operator]
    groups: dict[int, set[str]] = {}
    for number, name in enumerate(names):
        groups.setdefault(clusters.root(number), set()).add(name.partition("/")[0])
    return [group for group in groups.values() if len(group) > 1]


@pytest.mark.parametrize(
    ("sieve", "names"),
    [
        (same_spelling, ("U.S./GPE", "US/GPE")),
        (same_spelling, ("al-Zembla/ORG", "Al Zembla/ORG")),
        (same_spelling, ("BOSTON/GPE", "Boston/GPE")),
        (same_spelling, ("The Hague/GPE", "Hague/GPE")),
        (same_spelling, ("İlker/PERSON", "Ilker/PERSON")),
        (known_twins, ("United States/GPE", "America/GPE", "USA/GPE")),
        (known_twins, ("GOP/ORG", "Republicans/NORP")),
        (flights, ("Zembla Air Flight 370/ORG", "Flight 370/PRODUCT", "ZA370/ORG")),
        (titles, ("Prince Oleg", "Oleg")),
        (titles, ("Pope Linus XVI", "Linus")),
        (full_names, ("John Kennel", "John F. Kennel", "John Fitz Kennel Jr.")),
        (short_names, ("Ann Tillow", "Tillow")),
        (short_names, ("Ann Tillow", "Ann")),
        (short_names, ("Ann Tillow", "Tillow/ORG")),
        (short_names, ("Ann Tillow", "Mrs. Tillow")),
        (short_names, ("Omar al-Tillow", "al-Tillow", "Tillow")),
        (acronyms, ("Federal Bureau of Oddities/ORG", "FBO/ORG")),
        (acronyms, ("Federal Bureau of Oddities/ORG", "F.B.O./GPE")),
        (designators, ("Pim Industries/ORG", "Pim/ORG")),
        (designators, ("Yarrow University/ORG", "Yarrow/ORG")),
        (heads, ("Manchester United/ORG", "United/ORG")),
        (heads, ("U.S. Senate/ORG", "Senate/ORG")),
        (heads, ("Real Zembla/ORG", "Zembla/GPE", "Real/ORG")),
    ],
)
def test_joined(sieve: object, names: tuple[str, ...]) -> None:
    expected = {name.partition("/")[0] for name in names} - {"Zembla"}
    assert together(sieve, *names) == [expected]


@pytest.mark.parametrize(
    ("sieve", "names"),
    [
        (known_twins, ("America/GPE", "American/NORP", "Americans/NORP")),
        (full_names, ("John F. Kennel", "John Q. Kennel")),
        (full_names, ("John Kennel Jr.", "John Kennel Sr.")),
        (full_names, ("John Kennel", "Jane Kennel")),
        (short_names, ("Bill Tillow", "Hillary Tillow", "Tillow")),
        (short_names, ("Catherine Zeta-Jones", "Jones")),
        (short_names, ("Jordan Tillow", "Jordanian/NORP")),
        (acronyms, ("Bring Back Clark/WORK_OF_ART", "BBC/ORG")),
        (acronyms, ("Big Bad Club/ORG", "Blue Bell Club/ORG", "BBC/ORG")),
        (designators, ("Yarrow University/ORG", "Yarrow/GPE")),
        (heads, ("Manchester United/ORG", "Leeds United/ORG", "United/ORG")),
        (heads, ("White House/ORG", "House/ORG")),
        (heads, ("University of Yarrow/ORG", "Yarrow/ORG")),
        (heads, ("North Zembla/GPE", "Zembla/GPE")),
    ],
)
def test_kept_apart(sieve: object, names: tuple[str, ...]) -> None:
    assert together(sieve, *names) == []


def test_a_town_is_not_a_surname() -> None:
    town = name_of("Washington/GPE")
    town.located = True
    names = [name_of("Ann Washington"), town]
    clusters = Clusters(names)
    short_names(names, clusters, ENGLISH)
    assert clusters.root(1) == 1


def resolved(text: str, *names: str) -> list[int]:
    """The cluster of each mention; the names are given in the order of the text."""
    tokens = tokenise(text, ENGLISH)
    made = [name_of(name) for name in dict.fromkeys(names)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    mentions, place = [], 0
    for name in names:
        words = list(made[numbers[name]].words)
        while tokens.words[place : place + len(words)] != words:
            place += 1
        mentions.append(Mention(place, place + len(words), numbers[name]))
        place += len(words)
    clusters, _ = resolve(made, [tokens], [mentions], ENGLISH)
    return clusters[0]


def test_two_people_with_one_surname() -> None:
    text = (
        "Bill Tillow and Hillary Tillow came. Mrs. Tillow spoke. Mr. Tillow slept. "
        "Hillary Tillow said so. Tillow left."
    )
    bill, hillary, mrs, mr, again, bare = resolved(
        text, "Bill Tillow", "Hillary Tillow", "Tillow", "Tillow", "Hillary Tillow", "Tillow"
    )
    assert bill != hillary
    assert (mrs, mr) == (hillary, bill)  # by title
    assert again == hillary
    assert bare == hillary  # whom the story mentions most


def test_a_coreference_component_joins_what_no_sieve_would() -> None:
    article = tokenise("Ann Tillow came. The Iron Duchess left with Pim.", ENGLISH)
    names = [name_of("Ann Tillow"), name_of("Iron Duchess"), name_of("Pim")]
    mentions = [Mention(0, 2, 0), Mention(5, 7, 1), Mention(9, 10, 2)]
    assert len({*resolve(names, [article], [mentions], ENGLISH)[0][0]}) == 3
    places = [[(0, 0, 10), (0, 17, 33), (0, 12, 16)]]  # "The Iron Duchess"; "came" is not a name
    assert resolve(names, [article], [mentions], ENGLISH, places)[0][0] == [0, 0, 2]
