"""Where names begin and end in texts of many manners: the second rules.

The marks are what a tagger saw, each with its type.
"""

import pytest

from cloze.builder.marked_texts import read_marks
from cloze.names.language import load_language
from cloze.names.mentions import find_mentions
from cloze.names.tokens import tokenise

# Capitals mean names only if they are few, as in running text.
FILLER = "\n\nIt rained all day, and " + "nobody who was there can now say why it went on so " * 9


def found(text: str) -> list[str]:
    marked = read_marks(text + FILLER)
    language = load_language("en", 2)
    tokens = tokenise(marked.text, language)
    spans = [(mark.start, mark.end, mark.key) for mark in marked.marks]
    _, (mentions,) = find_mentions([tokens], [spans], language)
    return [" ".join(tokens.words[m.first : m.last]) for m in mentions]


@pytest.mark.parametrize(
    "title",
    [
        "Maestro", "Bosun", "Punong Barangay", "Kapitana", "Postdoc", "Procurator Fiscal Depute",
        "Monsignor", "Mgr", "Alderman", "Cr", "Togbe", "Makhdoom", "Havildar", "Midshipman",
        "Oboist", "Wicketkeeper", "Glaciologist", "Taoiseach", "Mwalimu", "Innkeeper",
    ],
)  # fmt: skip
def test_titles_of_the_world_are_outside_the_name(title: str) -> None:
    assert found(f"It was [{title} Mara Venn]{{PERSON}} who rose.") == ["Mara Venn"]


@pytest.mark.parametrize("title", ["Advocate", "Navigator", "Recorder", "MLA"])
def test_a_word_that_may_be_a_name_is_a_title_before_one(title: str) -> None:
    assert found(f"It was [{title} Mara Venn]{{ORG}} who rose.") == ["Mara Venn"]
    assert found(f"He read the [{title}]{{ORG}} there.") == [title]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # a body's own bodies, saints' schools, regiments, partners
        ("He left the [Council's Department of Mills]{ORG}.", ["Council", "Department of Mills"]),
        ("Pupils of [St Tamso]{ORG}'s Primary School sang.", ["St Tamso 's Primary School"]),
        ("He saw [St. Tamso]{GPE}' Orlen Hospital.", ["St. Tamso", "Orlen Hospital"]),
        ("He led the 41st [Tamso Fusiliers]{ORG} then.", ["41st Tamso Fusiliers"]),
        ("He met the 41st [Tamso]{ORG} of the day.", ["Tamso"]),
        ("Here [Tamso]{PERSON}, [Orlen & Pell]{ORG} is small.", ["Tamso , Orlen & Pell"]),
        # names in other languages
        ("They farmed the Côte des [Tamso]{LOC} then.", ["Côte des Tamso"]),
        ("They lit the [Vallée]{LOC} de l'Orlen then.", ["Vallée de l'Orlen"]),
        ("They went to the Tamso del Orlen Water District.", ["Tamso del Orlen Water District"]),
        ("What will [Tamso]{PERSON} do Friday about it?", ["Tamso"]),
        # what runs on, or is cut out of something
        ("He wrote to [Tamso before the June]{WORK_OF_ART} meeting.", ["Tamso"]),
        ("See [Contact: Tamso Mills]{ORG} there.", ["Tamso Mills"]),
        ('He met [Ana]{PERSON} "[Skip" Tamso]{PERSON} there.', ['Ana " Skip " Tamso']),
        (
            "It asked the [Finance]{ORG} and [Water Committee]{ORG}.",
            ["Finance and Water Committee"],
        ),
        ("Then [Tamso Robotics A/S]{ORG} grew. Tamso hires.", ["Tamso Robotics A/S", "Tamso"]),
        ("He drank in [Chico]{GPE}'s Bar. All of Chico's sang.", ["Chico 's Bar", "Chico 's"]),
        ("As had the Tamso and [District Mills Trust]{ORG}.", ["Tamso and District Mills Trust"]),
        ("Then Tamso and [Sons Brewery]{ORG} paid.", ["Tamso and Sons Brewery"]),
        ("There [Sizwe Mbeki]{GPE}-Lund spoke.", ["Sizwe Mbeki - Lund"]),
        ("They drove toward Route 9 then.", ["Route 9"]),
        ("It was her A Winter Without Men, and it sold.", ["A Winter Without Men"]),
        ("He went from A to B there.", []),
        (
            "It is run by the [Friends of Tamso]{ORG}. Ask the Friends for buns.",
            ["Friends of Tamso", "Friends"],
        ),
        ("It is about [this Tamso Bypass]{ORG} there.", ["Tamso Bypass"]),
        ("In [Tamso Optique S.A. v]{ORG} others it lost.", ["Tamso Optique S.A."]),
        # no names
        ("So it infringes Claims 1 and 9 there.", []),
        ("So the caller on Line Two left.", []),
        ("CATTLE – the ring opens at noon.", []),
        ("It cost him a [Sh420]{ORG} million loan.", []),
        ("He joined the [Board of Directors]{ORG} there.", []),
        ("It was held in the [Lecture Theatre]{FAC} there.", []),
        ("It is at 10:00 [CET]{ORG} there.", []),
        ("It bore [SSE]{ORG} then.", []),
        ("Minutes of the [Annual Meeting]{EVENT} there.", []),
    ],
)
def test_edges(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_a_heading_may_be_a_body_with_and() -> None:
    text = "TAMSO AND DISTRICT MILLS TRUST\n\nIt met, and the [Trust]{ORG} paid."
    assert found(text) == ["TAMSO AND DISTRICT MILLS TRUST", "Trust"]
