"""The second rules: what is no name, where names end, and which small words hold them together."""

import pytest

from cloze.builder.prepare import prepare
from cloze.names.bridges import bridged
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.names.tokens import tokenise
from cloze.stories import Story
from tests.names.test_second_rules import FILLER, clusters, found

ENGLISH = load_language("en", 2)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("And then the Second Respondent rose again.", {"Second_Respondent": "EVENT"}),
        ("She asked Education Minister Mara Venn to go.", {"Education": "ORG"}),
        ("Hope went. Anchors lay on the quay.", {"Anchors": "ORG"}),
        ("It was for the Global Head of Transport to say.", {"Global_Head_of_Transport": "ORG"}),
        ("He paid P48.2 million for it, and R1.2 more.", {}),
        ("They met in the leak of Class 12 papers.", {"Class_12": "LAW"}),
        ("They left in Act Two of it.", {"Act_Two": "LAW"}),
        ("They grew in Q3 again.", {"Q3": "PRODUCT"}),
        ("Then a Point of Sale operator left.", {}),
        ("No one spoke.\n\n19' GOAL! A great one.\n\nPRESENT: nobody.\n\nCALLER: Hello.", {}),
        ("No one spoke.\n\n12.31 Puncture for the leader.", {}),
    ],
)
def test_what_is_no_name(text: str, names: dict[str, str]) -> None:
    seen = found(text, **names)
    assert set(seen) <= {"Mara Venn"}, seen


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("It was King Osric who ruled.", {"King_Osric": "ORG"}, ["Osric"]),
        ("Sales fell. Keeper Hart saved it. Hart smiled.", {"Keeper_Hart": "PERSON"}, ["Hart"] * 2),
        ("So Ngcobo J held.", {"Ngcobo_J": "ORG"}, ["Ngcobo"]),
        ("They paid Dlamini R1.2 million.", {"Dlamini_R1.2_million": "ORG"}, ["Dlamini"]),
        ("It ended Orlen 1-1 Pim there.", {"Orlen_1-1_Pim": "ORG"}, ["Orlen", "Pim"]),
        (
            "She sat in Orlen restaurant Ocean Rooms.",
            {"Orlen_restaurant_Ocean_Rooms": "FAC"},
            ["Orlen", "Ocean Rooms"],
        ),
        ("He went from Orsk to Pim.", {"Orsk_to_Pim": "FAC"}, ["Orsk", "Pim"]),
        ("The vicar of St Anne's, who left, sang.", {"St_Anne's": "GPE"}, ["St Anne 's"]),
        (
            "It asked the Orsk Authority of Kenya.",
            {"Orsk_Authority": "ORG"},
            ["Orsk Authority of Kenya"],
        ),
        ("They saw Mohd. Arshad go.", {"Mohd": "PERSON", "Arshad": "PERSON"}, ["Mohd. Arshad"]),
        ("A letter from MCA Bo Ouma came.", {"Bo_Ouma": "PERSON"}, ["Bo Ouma"]),
        ("Then Sir Mara Venn, R.A., left.", {"Mara_Venn": "PERSON", "R.A": "ORG"}, ["Mara Venn"]),
        ("So Mara Venn BSc MRTPI left.", {"Mara_Venn_BSc_MRTPI": "PERSON"}, ["Mara Venn"]),
        ("They saw Tpr. Mara Venn go.", {"Tpr": "GPE", "Mara_Venn": "PERSON"}, ["Mara Venn"]),
        ("He lost Grandma Venn there.", {"Grandma_Venn": "PERSON"}, ["Venn"]),
        ("Some wept. Soloist Mara Venn sang.", {"Soloist_Mara_Venn": "PERSON"}, ["Mara Venn"]),
        ("He likes Orlen mustard best.", {"Orlen_mustard": "PERSON"}, ["Orlen"]),
        ("It is a U.S.-led force.", {"U.S.": "GPE"}, ["U.S."]),
        ("Then King Osric the Mild wept.", {"Osric": "PERSON"}, ["Osric the Mild"]),
        ("A rider of Team Venn fell.", {"Venn": "PERSON"}, ["Team Venn"]),
        ("They took the ferry MV Venn home.", {"Venn": "GPE"}, ["MV Venn"]),
        ("He asked Colm & Venn to pay.", {"Colm": "PERSON", "Venn": "PERSON"}, ["Colm & Venn"]),
        ("She works at Venn Freight's depot.", {"Venn_Freight's_depot": "FAC"}, ["Venn Freight"]),
        ("He met Col Mara Venn there.", {"Mara_Venn": "PERSON"}, ["Mara Venn"]),
        ("They slept at the Posada del Orsk.", {"Posada": "GPE"}, ["Posada del Orsk"]),
        (
            "He left Orsk North LGA of Kuramo State early.",
            {"Orsk_North_LGA_of_Kuramo_State": "GPE"},
            ["Orsk North LGA", "Kuramo State"],
        ),
        ("It is the City of Orsk that paid.", {"City_of_Orsk": "GPE"}, ["City of Orsk"]),
        ("The firm (NYSE: ORL) grew.", {"NYSE": "ORG", "ORL": "ORG"}, ["NYSE"]),
        (
            'He met Mara "Red" van Orsk there.',
            {"Mara": "PERSON", "Orsk": "PERSON"},
            ['Mara " Red " van Orsk'],
        ),
        ("He told The Orsk Lantern so.", {"Orsk_Lantern": "ORG"}, ["The Orsk Lantern"]),
        ("He left The University of Orsk.", {"University_of_Orsk": "ORG"}, ["University of Orsk"]),
        ("They go. The Orsk Lantern said so.", {"Orsk_Lantern": "ORG"}, ["Orsk Lantern"]),
        ("He cited the Sale (of Mills) Act, 2016 there.", {}, ["Sale ( of Mills ) Act , 2016"]),
    ],
)
def test_edges(text: str, names: dict[str, str], wanted: list[str]) -> None:
    assert found(text, **names) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the ninth stage of the Giro of the Lakes began", ["Giro of the Lakes"]),
        ("she wrote Notes on a Grounded Fleet in jail", ["Notes on a Grounded Fleet"]),
        ("so they went to see Muck and Magic there", ["Muck and Magic"]),
        ("the break of Salgado y Vega held", ["Salgado y Vega"]),
        ("the Mayor of Orsk left", []),
        ("so Hanna Orlen of the Liberal Party left", []),
        ("so Marques Pinto of Lisbon left", []),
        ("the Commerce Department and Federal Reserve said so", []),
    ],
)
def test_small_words_inside_names(text: str, wanted: list[str]) -> None:
    tokens = tokenise(text, ENGLISH)
    capitals = [place for place, word in enumerate(tokens.words) if word[0].isupper()]
    nothing = bytearray(len(tokens.words))
    names = bridged(tokens, capitals, nothing, ENGLISH)
    assert [" ".join(tokens.words[first:last]) for first, last in names] == wanted


def test_a_name_that_is_known_ends_before_of() -> None:
    tokens = tokenise("a visit to the United States of Afghan leaders", ENGLISH)
    covered = bytearray([0, 0, 0, 0, 1, 1, 0, 3, 0])
    assert list(bridged(tokens, [4, 5, 7], covered, ENGLISH)) == []


@pytest.mark.parametrize(
    ("text", "names", "together"),
    [
        (
            "It asked the Linn Society of Orsk. But the Society said no.",
            {"Linn_Society_of_Orsk": "ORG"},
            ["Linn Society of Orsk", "Society"],
        ),
        (
            "So Pappu Venn alias Guruji ran.",
            {"Pappu_Venn": "PERSON", "Guruji": "PERSON"},
            ["Pappu Venn", "Guruji"],
        ),
        (
            "It was B. Okello who came. Beatrice Okello sat down.",
            {"B._Okello": "PERSON", "Beatrice_Okello": "PERSON"},
            ["B. Okello", "Beatrice Okello"],
        ),
        (
            "It robbed Unity Grain Bank. They blame Unity Bank for it.",
            {"Unity_Grain_Bank": "ORG", "Unity_Bank": "ORG"},
            ["Unity Grain Bank", "Unity Bank"],
        ),
        (
            "It went to Willem van Alder. But Van Alder said no.",
            {"Willem_van_Alder": "PERSON", "Van_Alder": "PERSON"},
            ["Willem van Alder", "Van Alder"],
        ),
        (
            "Here Orlen Data Limited grew. Soon it was Orlen that led.",
            {"Orlen_Data_Limited": "ORG"},
            ["Orlen Data Limited", "Orlen"],
        ),
        (
            "ORSK TOWN COUNCIL\n\nIt was late when all had come. Then the Council rose.",
            {},
            ["ORSK TOWN COUNCIL", "Council"],
        ),
        (
            "So Moyo hit it. Then it was Prosper Moyo, 24, who won.",
            {"Moyo": "PERSON", "Prosper_Moyo": "GPE"},
            ["Moyo", "Prosper Moyo"],
        ),
    ],
)
def test_more_short_forms(text: str, names: dict[str, str], together: list[str]) -> None:
    assert frozenset(together) in clusters(text, **names)


def forms(text: str, full: tuple[str, str], short: tuple[str, str]) -> list[tuple[str, ...]]:
    """The forms of each entity, where a tagger saw the full name first and the short form last."""
    spans = [
        (at, at + len(name), label)
        for at, (name, label) in ((text.index(full[0]), full), (text.rindex(short[0]), short))
    ]
    story = Story("a", text + FILLER, ())
    document = prepare(story, StorySpans("a", [spans]), ENGLISH).document
    return [entity.surfaces for entity in document.entities]


@pytest.mark.parametrize(
    ("text", "full", "short"),
    [
        (
            "At the {full} she taught. Soon the {short} shut.",
            "Alte Werkstatt/ORG",
            "Werkstatt/NORP",
        ),
        ("They met at the {full}. All say {short} has grown.", "MillTech Expo/FAC", "MillTech/GPE"),
        ("They run {full}. All say {short} has grown.", "Northfell Ferries/ORG", "Northfell/GPE"),
        ("He signed the {full}. We hail the {short} now.", "Carta per il Mare/ORG", "Carta/ORG"),
        ("It was {full} they fled. At noon {short} was gone.", "Tropical Storm Ami/LOC", "Ami/LOC"),
    ],
)
def test_short_forms_that_taggers_mistake(text: str, full: str, short: str) -> None:
    (long, as_long), (brief, as_brief) = full.split("/"), short.split("/")
    text = text.format(full=long, short=brief)
    assert forms(text, (long, as_long), (brief, as_brief)) == [(long, brief)]


@pytest.mark.parametrize(
    ("text", "full", "short"),
    [
        (
            "At the {full} they met. Then all {short} papers wrote.",
            "Swedish Circle/ORG",
            "Swedish/NORP",
        ),
        ("They run {full}. It is cold in {short} now.", "Northfell Ferries/ORG", "Northfell/GPE"),
        ("They wrote to {full}. All of {short} slept.", "Northfell Council/ORG", "Northfell/GPE"),
    ],
)
def test_what_only_looks_like_a_short_form(text: str, full: str, short: str) -> None:
    (long, as_long), (brief, as_brief) = full.split("/"), short.split("/")
    text = text.format(full=long, short=brief)
    assert forms(text, (long, as_long), (brief, as_brief)) == [(long,), (brief,)]
