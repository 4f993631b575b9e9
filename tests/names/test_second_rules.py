"""The second set of rules: each kind of error in texts of all kinds, and what the first set does."""

import pytest

from cloze.builder.prepare import prepare
from cloze.errors import UserError
from cloze.names.language import NEWEST_RULES, load_language
from cloze.names.mentions import find_mentions
from cloze.names.name import Span
from cloze.names.spans import StorySpans
from cloze.names.tokens import tokenise
from cloze.stories import Story

# Capitals mean names only if they are few, as in running text.
FILLER = "\n\nIt rained all day, and " + "nobody who was there can now say why it went on so " * 9


def tagged(text: str, names: dict[str, str]) -> list[Span]:
    """What a tagger saw: each of these names (with its type) once, at its first mention."""
    starts = {name: text.index(name) for name in names}
    spans = [(starts[name], starts[name] + len(name), label) for name, label in names.items()]
    return sorted(spans)


def found(text: str, rules: int = 2, **names: str) -> list[str]:
    """The mentions of the text; the underscores of a name are spaces."""
    text += FILLER
    language = load_language("en", rules)
    tokens = tokenise(text, language)
    given = {name.replace("_", " "): label for name, label in names.items()}
    _, (mentions,) = find_mentions([tokens], [tagged(text, given)], language)
    return [" ".join(tokens.words[m.first : m.last]) for m in mentions]


def clusters(text: str, rules: int = 2, **names: str) -> set[frozenset[str]]:
    """The forms of each entity that has several."""
    text += FILLER
    given = {name.replace("_", " "): label for name, label in names.items()}
    spans = StorySpans("a", [tagged(text, given)])
    document = prepare(Story("a", text, ()), spans, load_language("en", rules)).document
    return {frozenset(e.surfaces) for e in document.entities if len(e.surfaces) > 1}


@pytest.mark.parametrize("title", ["Cllr", "Sgt", "Fr", "Alhaji", "Herr", "Engr", "Smt.", "HRH"])
@pytest.mark.parametrize("label", ["PERSON", "ORG", "GPE"])
def test_an_honorific_is_outside_the_name_whatever_the_tagger_says(title: str, label: str) -> None:
    text = f"Then {title} Mara Venn rose. They thanked {title} Venn."
    assert found(text, **{f"{title}_Mara_Venn": label}) == ["Mara Venn", "Venn"]


@pytest.mark.parametrize(
    "office", ["Constable", "Canon", "Prince", "Lady", "Viceroy", "Nurse", "Managing Partner"]
)
def test_an_office_is_outside_a_persons_name(office: str) -> None:
    text = f"It was {office} Mara Venn who rose."
    assert found(text, **{f"{office} Mara Venn": "PERSON"}) == ["Mara Venn"]


def test_a_law_may_be_a_heading() -> None:
    text = "TOWN AND MILLS ACT 1990\n\nIt says that nobody may build a mill without asking first."
    assert found(text) == ["TOWN AND MILLS ACT 1990"]


def test_an_office_that_belongs_to_the_name_stays() -> None:
    assert found("He met the Duke of Orsk there.", Duke_of_Orsk="PERSON") == ["Duke of Orsk"]
    assert found("So the Justice Department won.", Justice_Department="ORG") == [
        "Justice Department"
    ]


def test_an_office_is_known_by_the_name_that_stands_elsewhere_without_it() -> None:
    text = "The club began with Striker Whaan injured. Later Whaan left."
    names = {"Striker_Whaan": "ORG"}
    assert found(text.replace("Later Whaan", "Later one"), **names) == ["Striker Whaan"]
    spans = [(20, 33, "ORG"), (text.index("Whaan left"), text.index(" left"), "PERSON")]
    language = load_language("en", 2)
    tokens = tokenise(text, language)
    _, (mentions,) = find_mentions([tokens], [spans], language)
    assert [tokens.words[m.first : m.last] for m in mentions] == [["Whaan"], ["Whaan"]]


@pytest.mark.parametrize("role", ["Retailer", "Carmaker", "Lender", "Insurer"])
def test_a_role_at_the_head_of_a_sentence(role: str) -> None:
    text = f"Sales rose. {role} Marnley said so."
    assert found(text, **{f"{role}_Marnley": "ORG"}) == ["Marnley"]


def test_headings_hold_only_names_that_stand_elsewhere() -> None:
    text = (
        "MINUTES OF THE MEETING\n\nTOLLAN HARBOUR FEES RISE\n\nThe clerk of Tollan read a letter that "
        "nobody had asked for, and the members then went home to their suppers.\n\nANY OTHER BUSINESS"
    )
    assert found(text, Tollan="GPE") == ["TOLLAN", "Tollan"]
    assert "OTHER BUSINESS" in found(text, rules=1, Tollan="GPE")


def test_a_tag_in_a_heading_counts_for_nothing() -> None:
    text = (
        "FULL TIME\n\nThe players of Orsk left the pitch in silence and the crowd went home early."
    )
    assert found(text, FULL_TIME="ORG", Orsk="GPE") == ["Orsk"]
    assert found(text, rules=1, FULL_TIME="ORG", Orsk="GPE") == ["FULL TIME", "Orsk"]


def test_a_heading_with_a_company() -> None:
    text = (
        "ORLEN SLIPWAYS LTD v DASK\n\nThe court held that Orlen Slipways had sold the yacht to Dask as "
        "it stood, with all its faults."
    )
    names = {"Orlen_Slipways": "ORG", "Dask": "PERSON"}
    assert found(text, **names) == ["ORLEN SLIPWAYS LTD", "DASK", "Orlen Slipways", "Dask"]
    assert frozenset(["ORLEN SLIPWAYS LTD", "Orlen Slipways"]) in clusters(text, **names)


def test_a_text_in_capitals_throughout_has_no_headings() -> None:
    text = "THE MAYOR LEFT ORSK.\n\nHE WENT HOME."
    language = load_language("en", 2)
    tokens = tokenise(text, language)
    _, (mentions,) = find_mentions([tokens], [tagged(text, {"ORSK": "GPE"})], language)
    assert [tokens.words[m.first : m.last] for m in mentions] == [["ORSK"]]


@pytest.mark.parametrize(
    "word", ["Clerk", "Appellant", "Bursar", "Growers", "Fahrenheit", "Easter"]
)
def test_words_that_are_no_names(word: str) -> None:
    text = f"And then the {word} came into it again, as they all had known that it would."
    assert found(text) == []
    assert found(text, rules=1) == [word]


def test_a_sentence_begins_behind_a_dash() -> None:
    assert found("Orsk, March 4 - Villagers left on foot.", Orsk="GPE") == ["Orsk"]


@pytest.mark.parametrize(
    ("text", "names", "together"),
    [
        (
            "The Halden Launch Works closed. People said Halden was done.",
            {"Halden_Launch_Works": "ORG"},
            ["Halden Launch Works", "Halden"],
        ),
        (
            "It joined Orlen Aerospace N.V. last year. He left Orlen Aerospace. Then Orlen sued.",
            {"Orlen_Aerospace_N.V.": "ORG"},
            ["Orlen Aerospace N.V.", "Orlen Aerospace", "Orlen"],
        ),
        (
            "They shut the Ottak Bridge. For years the Ottak had creaked.",
            {"Ottak_Bridge": "FAC"},
            ["Ottak Bridge", "Ottak"],
        ),
        (
            "He wrote to the Department for Mills. In reply the Department sent a form.",
            {"Department_for_Mills": "ORG"},
            ["Department for Mills", "Department"],
        ),
        (
            "So Kagis Moko scored twice. Later on Moko limped off.",
            {"Kagis_Moko": "ORG"},
            ["Kagis Moko", "Moko"],
        ),
        (
            "A letter came from Mila Quim-Lund. They asked Quim-Lund to stay.",
            {"Mila_Quim-Lund": "PERSON"},
            ["Mila Quim-Lund", "Quim-Lund"],
        ),
        (
            "As Parviz Esfand knew, it was late. So Parviz went home.",
            {"Parviz_Esfand": "PERSON"},
            ["Parviz Esfand", "Parviz"],
        ),
        (
            "The Lok Pragat Manch (LPM) walked out. Then the LPM came back.",
            {"Lok_Pragat": "ORG"},
            ["Lok Pragat Manch", "LPM"],
        ),
        (
            "The Orlen Electric and Mines Corporation warned them. Later OEMCO paid.",
            {"Orlen_Electric_and_Mines_Corporation": "ORG", "OEMCO": "ORG"},
            ["Orlen Electric and Mines Corporation", "OEMCO"],
        ),
        (
            "They sued under the Sale of Vessels Act 2016. But the Act is vague.",
            {"Sale_of_Vessels_Act": "LAW"},
            ["Sale of Vessels Act 2016", "Act"],
        ),
    ],
)
def test_short_forms(text: str, names: dict[str, str], together: list[str]) -> None:
    assert frozenset(together) in clusters(text, **names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "They crossed London Bridge at dawn. All of London slept.",
            {"London_Bridge": "FAC", "London slept": "GPE"},
        ),
        (
            "The Senate Mills Committee met. Later the Senate voted.",
            {"Senate_Mills_Committee": "ORG", "Senate voted": "ORG"},
        ),
        (
            "He owns an Orlen Watch. He says Orlen is a firm.",
            {"Orlen_Watch": "PRODUCT", "Orlen is": ""},
        ),
    ],
)
def test_what_is_no_short_form(text: str, names: dict[str, str]) -> None:
    spans = []
    for name, label in names.items():
        words = name.replace("_", " ").removesuffix(" slept").removesuffix(" voted")
        words = words.removesuffix(" is")
        start = text.index(name.replace("_", " "))
        spans.append((start, start + len(words), label or "ORG"))
    language = load_language("en", 2)
    document = prepare(Story("a", text, ()), StorySpans("a", [sorted(spans)]), language).document
    assert all(len(entity.surfaces) == 1 for entity in document.entities)


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        (
            "the Sale of Vessels Act 2016 and more",
            {"Sale of Vessels": "LAW"},
            "Sale of Vessels Act 2016",
        ),
        (
            "the Railways (Signals) Act 2014 and more",
            {"Railways": "ORG"},
            "Railways ( Signals ) Act 2014",
        ),
        ("a twin, Mvua-3, now with Mvua in storage", {"Mvua": "PRODUCT"}, "Mvua - 3"),
        ("made by Lany Works Co. in Orsk", {"Lany Works Co": "ORG"}, "Lany Works Co."),
    ],
)
def test_names_are_not_cut_short(text: str, names: dict[str, str], wanted: str) -> None:
    assert wanted in found(text, **names)


def test_the_last_word_tells_the_type() -> None:
    language = load_language("en", 2)
    for text, label, wanted in [
        ("the Jan Seva Party", "PERSON", "ORG"),
        ("the Mulung Dam", "PERSON", "FAC"),
        ("the late Betty Hill", "PERSON", "PERSON"),
        ("in Palm Beach", "GPE", "GPE"),
    ]:
        name = " ".join(text.split()[-3 if "Jan" in text else -2 :])
        spans = tagged(text, {name: label})
        names, _ = find_mentions([tokenise(text, language)], [spans], language)
        (own,) = [each for each in names if " ".join(each.words) == name]
        assert own.type == wanted, text


def test_an_honorific_tells_a_person() -> None:
    text = "The officer asked Singham twice. Mr Singham smiled."
    language = load_language("en", 2)
    (own,), _ = find_mentions(
        [tokenise(text, language)], [tagged(text, {"Singham": "ORG"})], language
    )
    assert own.type == "PERSON"


def test_the_sets_of_rules() -> None:
    assert load_language("en").rules == 1
    assert load_language("en").honorifics == frozenset()
    assert load_language("en", 2).offices > load_language("en").offices
    assert load_language("de", 2).offices > load_language("de").offices
    assert load_language("de", 2).plain == load_language("de").plain
    for number in (0, NEWEST_RULES + 1):
        with pytest.raises(UserError, match="there are no rules"):
            load_language("en", number)
