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


def test_a_surname_goes_on_behind_its_hyphen() -> None:
    text = "There [Sizwe Mbeki]{PERSON}-Lund spoke. They asked [Mbeki-Lund]{PERSON} to stay."
    assert entities(text) == {frozenset(["Sizwe Mbeki-Lund", "Mbeki-Lund"])}
