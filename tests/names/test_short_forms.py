"""Second names of one thing, and names that look like them: the second rules.

The marks are what a tagger saw, each with its type.
"""

import pytest

from cloze.builder.marked_texts import read_marks
from cloze.builder.prepare import prepare
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.stories import Story

# Capitals mean names only if they are few, as in running text.
FILLER = "\n\nIt rained all day, and " + "nobody who was there can now say why it went on so " * 9


def entities(text: str) -> set[frozenset[str]]:
    """The forms of each entity."""
    marked = read_marks(text + FILLER)
    spans = [(mark.start, mark.end, mark.key) for mark in marked.marks]
    story = Story("a", marked.text, ())
    document = prepare(story, StorySpans("a", [spans]), load_language("en", 2)).document
    return {frozenset(entity.surfaces) for entity in document.entities}


@pytest.mark.parametrize(
    "text",
    [
        "They saw the [Orlen Trench]{LOC}. Nobody had been in the [Trench]{LOC}.",
        "He fell in the [Orlen Couloir]{LOC}, for the [Couloir]{LOC} was all ice.",
        "It lies on the [River Orlen]{LOC}. The [Orlen]{LOC} is slow.",
        "He lives in [Upper Lode]{GPE}. Nobody in [Lode]{GPE} knew.",
        "She won in [New Tamso]{GPE}, and [Tamso]{GPE} cheered.",
        "He rules [Kuramo State]{GPE}. All of [Kuramo]{GPE} danced.",
        "They left [ORLEN CITY]{GPE} early. All of [Orlen]{GPE} slept.",
        "He dug for [Orlen Infra Projects]{ORG}. Then [Orlen]{ORG} vanished.",
        "They met at [Orlen Level Five Hospital]{FAC}. Nobody at [Orlen]{FAC} slept.",
        "She left the [Isle of Mor]{LOC}. Many on [Mor]{GPE} gave.",
        "He crossed the [Col de Merlat]{LOC} first. Fog hid [Merlat]{LOC} later.",
        "They reached [Saint Lund]{GPE} late. All of [St Lund]{GPE} slept.",
        "The lot went to [Orlen & Pell]{ORG}, and [Orlen]{ORG} paid.",
        "They asked [Orlen and Pell]{ORG} first. Then [Orlen & Pell]{ORG} paid.",
        "He runs [Orlen Citybus Pty Ltd]{ORG}, he says. So [Orlen Citybus]{ORG} paid.",
        "He built the [Orlen Slate Railway Company]{ORG}. Then the [Railway]{ORG} shut.",
        "He built the [Orlen Slate Railway Company]{ORG}. The [Orlen Company]{ORG} shut.",
        "She runs the [Orlen Museum and Archive]{ORG}. But the [Museum]{ORG} is shut.",
        "They sat in the [Orlen House of Assembly]{ORG}. Then the [House]{ORG} rose.",
        "She trades on the [Nordic Maritime Exchange]{ORG} ([NMX]{ORG}) there.",
        "They wound up [Lanmar Mills Limited]{ORG} (the “Company”). The [Company]{ORG} owed much.",
        "They sued under the [Sale of Mills Act 2016]{LAW}. But the [2016 Act]{LAW} is vague.",
        "So [Ifeoma Orlen]{PERSON} won. Her coach calls [Ife]{PERSON} quick.",
        "Here [William “Bill” Orlen]{PERSON} was born. They liked [Bill]{PERSON} there.",
        "Here [William]{PERSON} “[Bill]{PERSON}” [Orlen]{PERSON} was born. They liked [Bill]{PERSON}.",
        "They met [Alan]{PERSON} 'Buster' Orlen there. It was [Orlen]{PERSON} who paid.",
        "He met [Margaret Tudor]{PERSON}, known as [Peggy]{PERSON}, there.",
        "He runs [Helix Photonics Inc.]{ORG} there. He has shares in [Helix]{ORG} too.",
        "They drank in [Orlen's Bar]{FAC}. All of [Orlen]{ORG}'s went quiet.",
        "It hangs in the [Orlen Museum of Glass]{ORG}. The [Orlen]{ORG} is proud of it.",
        "She won the [Dilys Orlen Prize]{EVENT}. He gave the [Orlen]{PERSON} money away.",
        "Then [Salgado y Orlen]{MISC} fell. It was [Iker Salgado y Orlen]{PERSON} who paid.",
        "The chip is the [Lumen-4]{PRODUCT}. A phone with the [Lumen]{PRODUCT} is quick.",
        "Now [Dex]{PERSON} is out. Heartbroken [Dex Tranter]{GPE} left.",
        "They sailed the [Wild Thyme]{ORG} home. The [Thyme]{NORP} is old.",
        # parts of names, nicknames, pet names
        "There [Mila Orlen-Pike]{PERSON} sang. They asked Mrs [Orlen]{PERSON} to stay.",
        "There [Mila Orlen-Pike]{PERSON} sang. They asked Mrs [Pike]{PERSON} to stay.",
        "There [Mila Orlen-Pike]{GPE} sang. They asked Mrs [Orlen-Pike]{PERSON} to stay.",
        "Then [Tamsy-Mae Orlen]{PERSON} wept. So [Tamsy]{PERSON} is out.",
        "There [Mila Tamso Orlen]{PERSON} sang. They asked [Tamso]{PERSON} to stay.",
        "He met [Mila Tamso y Orlen]{PERSON} there. They asked [Tamso]{PERSON} to stay.",
        'He met [Rand "Skip" Orlen Jr.]{PERSON} there. It was [Skip Orlen]{PERSON} who paid.',
        'He met [Tamsin]{PERSON} "Red" Orlen-Pike there. They liked Red.',
        'He met [Bo "The Blade" Orlen]{PERSON} there. They liked [Bo]{PERSON}.',
        "He met [William Orlen]{PERSON} there. They liked [Bill]{PERSON}.",
        "He met [Adebayo Orlen]{PERSON} there. They liked [Bayo]{PERSON}.",
        "He met [Rob ap Orlen]{PERSON} there. [Ap Orlen]{PERSON} smiled.",
        "He met [M. K. Orlen]{PERSON} there. They liked [MK Orlen]{PERSON}.",
        "He met [Old Tamso]{PERSON} there. They liked [Tamso]{PERSON}.",
        # firms, clubs and other bodies
        "It is [Orlen & Pell Fine Art Dealers]{ORG} that paid. So [Orlen & Pell]{ORG} owns it.",
        "It is [Tamso Pell Accountants]{ORG} that paid. So [Tamso Pell]{PERSON} knows.",
        "It is [Tamso Turbines A/S]{ORG} that paid. So [Tamso]{ORG} knows.",
        "It is [Autos Hermanos Tamso S.L.]{PERSON} that paid. So [Tamso]{PERSON} knows.",
        "It is [Van der Tamso Mills N.V.]{ORG} that paid. So [Van der Tamso]{PERSON} knows.",
        "It is [Tamso Brewing Company]{ORG} that paid. So [Tamso Brewing]{GPE} knows.",
        "He plays for [Tamso United Football Club]{ORG}. So [Tamso United]{ORG} won.",
        "She joined the [Tamso Ladies' Choir]{NORP}. The [Ladies' Choir]{WORK_OF_ART} sang.",
        "He led the [Tamso Light Infantry]{ORG}. So the [Light Infantry]{GPE} marched.",
        "She asked the [Department of Public Works]{ORG}. So [Public Works]{ORG} paid.",
        "She runs the [Tamso Foundation for Girls]{ORG}. The [Tamso Foundation]{ORG} paid, and the "
        "[Foundation]{ORG} was thanked.",
        "She gave to [Tamso Primary School]{ORG}. So [Tamso]{FAC} was glad.",
        "They drank in [Tamso's Food Mart]{ORG}. A film shot at [Tamso]{ORG}'s is lost.",
        "She won the [Tamso Prize]{EVENT}. But the [Prize]{EVENT} is small.",
        "He judges [Kitchen Carnage]{WORK_OF_ART}. A series of [Carnage]{WORK_OF_ART} is new.",
        "He sued [Orlen Freight (UK) Limited]{ORG}. So [Orlen Freight]{ORG} paid.",
        "He wrote to [Tamso County Council]{ORG}. So the [County Council]{ORG} paid.",
        "He asked the [Maritime Industry Authority]{ORG} ([Marina]{ORG}) there.",
        "He saves with the [Tamso Building Society]{ORG}. So the [Tamso]{ORG} paid.",
        # places, ships and names in other languages
        "They crossed the [Col de Tamso]{LOC} first. But the [Col]{LOC} was shut.",
        "He works at the [Instituto Tamso de Agua]{ORG}. The [Instituto]{ORG} paid.",
        "They slept at the [Posada del Tamso]{FAC}. She cooks at the [Tamso]{LOC} too.",
        "He left [Tamso de la Sierra]{GPE} early. They shop in [Tamso]{GPE} too.",
        "They saw the [Pico Tres Tamso]{LOC} there. It is the [Tres Tamso]{LOC} that he fears.",
        "They broke the [Periya Tamso]{LOC} there. But the [Tamso]{LOC} is old.",
        "He lives in [Orlen North LGA]{GPE}. They slept in [Orlen North]{GPE} too.",
        "They dived in the [Gulf of Tamso]{LOC}. Then the [Gulf]{LOC} froze.",
        "It is in the [Tamso Fells National Park]{LOC}. The [National Park]{LOC} is big.",
        "They sailed in MV [Lady Tamso]{PERSON} then. But the [Lady Tamso]{PRODUCT} sank.",
        "He lives by [Loch Tamso]{LOC} now. Nobody swims in the [Loch]{ORG} there.",
        "They sailed in the ship [Anna Tamso]{PRODUCT} then. The [Anna]{LOC} sank.",
        "She works at the [Tamso Factory]{FAC} now. Nobody at [Tamso]{LOC} knew.",
        "They saw the [Tamso Festival]{EVENT} there. He hopes that the [Tamso]{LOC} is dry.",
        "He fell at the [Battle of the Two Wells]{EVENT}. Nobody forgot [Two Wells]{WORK_OF_ART}.",
        "She works at the [Tamso Royal Infirmary]{ORG}. Nobody at the [Royal]{ORG} knew.",
        "He built the [Marit Tamso Synchrotron]{MISC}. But the [Tamso]{PERSON} was shut.",
        "It is [J.B. Tamso Builders Inc.]{ORG} that paid. So [Tamso Builders]{ORG} knows.",
        "It is [Tamso & Yule Fine Art Dealers]{MISC} that paid. So [Tamso & Yule]{ORG} knows.",
        "It is [Tamso & Yule]{FAC} that paid. So [Tamso]{ORG} knows.",
        "She is in [Tamso House]{ORG} now. So [Tamso]{GPE} won.",
        "They swam in the [Lago d'Orlen]{LOC} then. But the [Lago]{LOC} is cold.",
        "They drank in the [Plough and Stars]{ORG}. Later the [Plough]{LOC} shut.",
        "She won the [Tamso Perpetual Trophy]{EVENT}. But the [Tamso]{EVENT} is small.",
        "It is [Tamso Civil Contractors]{ORG} that paid. So [Tamso]{GPE} knows.",
        "GAMES FINE\n\nHe ran at the [Tamso Highland Games]{EVENT}. The [Games]{EVENT} went on.",
        "He met [Gareth Simms]{PERSON} there. They liked [Simmo]{PERSON}.",
        "He met [Mila Jones]{PERSON} there. They liked [Jonesy]{PERSON}.",
        'He met [Ana]{PERSON} "[Baby" Tamso]{PERSON} there. They liked Kapitana [Baby]{EVENT}.',
    ],
)
def test_one_thing(text: str) -> None:
    assert len(entities(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "It was [Orlen City]{ORG} who won. All of [Orlen]{GPE} slept.",
        "She sang for the [Paris Opera Ballet]{ORG}. Then [Paris]{ORG} paid.",
        "They asked the [Senate Finance Committee]{ORG}. But the [Senate]{ORG} rose.",
        "He left [New York]{GPE} early. Nobody in [York]{GPE} knew.",
        "He left [South Korea]{GPE} early. Nobody in [Korea]{GPE} knew.",
        "They swam in [Lake Michigan]{LOC} first. Then [Michigan]{GPE} voted.",
        "He lives in [Great Orlen]{GPE} near [Little Orlen]{GPE}, and [Orlen]{PERSON} is a saint.",
        "The [Orlen Footbridge Committee]{ORG} met. The [Orlen Footbridge]{FAC} needs paint.",
        "They live in the [White House]{FAC} now. Later the [House]{ORG} voted.",
        "He met [Anna Orlen]{PERSON} and her aunt. The aunt is called [Ann]{PERSON} here.",
        "He met [Alan Orlen]{PERSON} there. The [Orlens]{PERSON} had followed every rule.",
        "She studied at the [University of Orlen]{ORG}. He lived in [Orlen]{GPE} then.",
        "She is the [Swedish]{NORP} leader. She was born in [Sweden]{GPE} there.",
        "The [Berit Lunde Wing]{FAC} is new. In it [Berit Lunde]{PERSON} was ill.",
        "The old one is [Mvua-2]{PRODUCT}, the new one [Mvua-3]{PRODUCT}.",
        "They met at [Orlen's Bar]{FAC}. It was [Orlen]{PERSON} who paid.",
        "He runs the [Paris Museum of Glass]{ORG}. The [Paris]{GPE} of his youth is gone.",
        "She won the [Dilys Orlen Prize]{EVENT}. It was [Orlen]{PERSON} who paid.",
        "There [Orlen]{PERSON} heads over. Manager [Mila Orlen-Pike]{PERSON} is glad.",
        "He runs [Anna Tamso Productions]{ORG}. It was [Anna Tamso]{PERSON} who paid.",
        "He met [Sally Orlen]{PERSON} there. Her friend is called [Sarah]{PERSON} here.",
        "He left [West Palm Beach]{GPE} early. All of [Palm Beach]{GPE} slept.",
        "The [Tamso Crown Court]{ORG} sat. All of [Tamso]{FAC} slept.",
        "He owns [Duke Energy]{ORG} and [Duke Recycling]{ORG}, but [Duke]{PRODUCT} is neither.",
        "They asked the [Tamso Finance Committee]{ORG}. But the [Senate]{ORG} rose.",
        "He left the [Ayuntamiento de Tamso]{ORG}. All of [Tamso]{GPE} slept.",
        "They toured the [Deep South]{LOC} first. But the [South]{LOC} is wide.",
        "He sailed to [Little Tamso]{LOC} first. Then [Tamso]{LOC} came in sight.",
        "So [Kate]{PERSON} smiled. Her dress is by [Catherine Tamso]{PERSON} there.",
        "They asked the [Trust Board]{ORG} first. But the [Trust]{ORG} knew.",
        "He left the [Tamso City Council]{ORG}. But the [City]{ORG} knew.",
    ],
)
def test_things_that_are_not_one(text: str) -> None:
    assert all(len(forms) == 1 for forms in entities(text))
    assert len(entities(text)) > 1


def test_a_place_is_not_what_stands_in_it() -> None:
    text = (
        "They climbed [Mount Sarung]{LOC} from [Sarung Base Camp]{FAC}. At last [Sarung]{LOC} was "
        "in sight."
    )
    assert frozenset(["Mount Sarung", "Sarung"]) in entities(text)


def test_a_hyphen_behind_a_dateline_parts_names() -> None:
    text = "[OSLO - Orlen Engines ASA]{ORG} grew. In [Oslo]{GPE} they said [Orlen]{ORG} hires."
    assert entities(text) == {
        frozenset(["OSLO", "Oslo"]),
        frozenset(["Orlen Engines ASA", "Orlen"]),
    }


def test_a_founder_is_not_the_firm() -> None:
    text = "They saw [Newt Tamso]{PERSON} there. He owns [Tamso Productions]{ORG}. [Tamso]{PERSON} left."
    assert frozenset(["Tamso", "Newt Tamso"]) in entities(text)


def test_titles_and_family_tell_who_is_meant() -> None:
    text = (
        "There were [Tamsy Orlen]{PERSON} and her husband [Elwy Orlen]{PERSON}. They asked "
        "[Elwy]{PERSON} and [Elwy]{PERSON} again. But Mrs [Orlen]{PERSON} sang."
    )
    assert frozenset(["Tamsy Orlen", "Orlen"]) in entities(text)


def test_what_fits_two_people_fits_them_in_a_heading_too() -> None:
    text = (
        "ORLEN SHAVES\n\nThere [Rafe Orlen-Pike]{PERSON} ate. So [Rafe]{PERSON} left. His wife "
        "[Mila Orlen-Pike]{PERSON} and Chef [Orlen]{PERSON} are out."
    )
    assert frozenset(["ORLEN", "Orlen", "Rafe", "Rafe Orlen-Pike"]) in entities(text)


def test_a_surname_goes_on_behind_its_hyphen() -> None:
    text = "There [Sizwe Mbeki]{PERSON}-Lund spoke. They asked [Mbeki-Lund]{PERSON} to stay."
    assert entities(text) == {frozenset(["Sizwe Mbeki-Lund", "Mbeki-Lund"])}
