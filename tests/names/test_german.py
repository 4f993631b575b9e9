"""German by its file of lists; each test fails if English lists are used."""

import json
from pathlib import Path

import pytest

from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.builder.cleaning import clean_article, clean_highlight
from cloze.builder.prepare import DataPoint, prepare
from cloze.corpus.store import Corpus
from cloze.document import Document
from cloze.errors import UserError
from cloze.names.detection import annotate, pipeline_name
from cloze.names.inflection import inflected
from cloze.names.language import load_language
from cloze.names.name import Span
from cloze.names.spans import StorySpans
from cloze.names.tokens import lowered, tokenise
from cloze.stories import Story

GERMAN, ENGLISH = load_language("de"), load_language("en")

ARTICLE = (
    "BERLIN (dpa) - Bundeskanzlerin Angela Merkel hat am 3. Oktober das Technische Hilfswerk"
    " gelobt. Merkels Besuch in Passau dauerte z. B. nur zwei Stunden.\n\n„Das Technische Hilfswerk"
    " hat geholfen.“ Die Boote des Technischen Hilfswerks fuhren auf der Donau, d. h. im Hochwasser."
    " Oberbürgermeister Jürgen Dorn dankte dem Technischen Hilfswerk. Ulla Peters aus München sprach"
    " mit Peter Altmaier. Die Deutsche Bahn half. Der Chef der Deutschen Bahn kam, und Deutschlands"
    " Flüsse stiegen."
)
HIGHLIGHTS = ("Merkel lobt Technisches Hilfswerk", "NEU: Dorn trifft Angela Merkel in Deutschland")


def test_no_english_list_would_do() -> None:
    """With English lists, the texts below are read differently wherever a list is used."""
    german, english = (
        prepare(Story("s", ARTICLE, HIGHLIGHTS), tagged(), spoken) for spoken in (GERMAN, ENGLISH)
    )
    assert english.document.context.tokens != german.document.context.tokens
    assert len(english.document.entities) > len(german.document.entities)
    assert len(english.document.context.sentences()) > len(german.document.context.sentences())
    assert english.highlights != german.highlights


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so, z. B. in Rom", "so , z. B. in Rom"),
        ("Z. B. in Rom", "Z. B. in Rom"),
        ("kam d. h. ging", "kam d. h. ging"),
        ("am 3. Oktober und im 19. Jahrhundert", "am 3. Oktober und im 19. Jahrhundert"),
        ("Ludwig XIV. von Frankreich", "Ludwig XIV. von Frankreich"),
        ("Haus Nr. 5 ist ca. 3,5 Mio. Euro wert", "Haus Nr. 5 ist ca. 3,5 Mio. Euro wert"),
    ],
)
def test_full_stops_that_end_no_sentence(text: str, words: str) -> None:
    assert " ".join(tokenise(text, GERMAN).words) == words
    assert " ".join(tokenise(text, ENGLISH).words) != words


def test_a_number_ends_a_sentence() -> None:
    assert tokenise("Es waren 30. Dann kam Lund.", GERMAN).words[2:4] == ["30", "."]


@pytest.mark.parametrize("text", ["Er sagte „nein“.", "Er sagte »nein«."])
def test_quotation_marks_face_the_right_way(text: str) -> None:
    assert lowered(tokenise(text, GERMAN), GERMAN) == "er sagte `` nein '' .".split()
    assert lowered(tokenise(text, ENGLISH), ENGLISH) != "er sagte `` nein '' .".split()


def test_datelines_and_news() -> None:
    assert clean_article("Berlin (dpa/lby) – Es regnet.", GERMAN).strip() == "Es regnet."
    assert clean_highlight("EIL: Es regnet", GERMAN).strip() == "Es regnet"
    assert clean_highlight("EIL: Es regnet", ENGLISH).strip() == "EIL: Es regnet"


def tagged() -> StorySpans:
    """What the rules find in the story of this file."""
    (spans,) = annotate([Story("s", ARTICLE, HIGHLIGHTS)], "rules:de", "de")
    return spans


def forms(document: Document) -> dict[str, set[str]]:
    return {entity.name: set(entity.surfaces) for entity in document.entities}


def test_rules_find_names_and_inflected_forms_are_one() -> None:
    point = prepare(Story("s", ARTICLE, HIGHLIGHTS), tagged(), GERMAN)
    assert forms(point.document) == {
        "Angela Merkel": {"Angela Merkel", "Merkel", "Merkels"},
        "Technische Hilfswerk": {
            "Technische Hilfswerk",
            "Technischen Hilfswerk",
            "Technischen Hilfswerks",
            "Technisches Hilfswerk",
        },
        "Passau": {"Passau"},
        "Donau": {"Donau"},
        "Jürgen Dorn": {"Jürgen Dorn", "Dorn"},
        "Ulla Peters": {"Ulla Peters"},
        "München": {"München"},
        "Peter Altmaier": {"Peter Altmaier"},
        "Deutsche Bahn": {"Deutsche Bahn", "Deutschen Bahn"},
        "Deutschland": {"Deutschland", "Deutschlands"},
    }
    assert [[q.query.anonymised for q in own] for own in point.questions] == [
        ["@placeholder lobt @entity1", "@entity0 lobt @placeholder"],
        [
            "@placeholder trifft @entity0 in @entity9",
            "@entity4 trifft @placeholder in @entity9",
            "@entity4 trifft @entity0 in @placeholder",
        ],
    ]


def prepared(article: str, **names: str) -> DataPoint:
    spans: list[Span] = []
    for label, found in names.items():
        for name in found.split("; "):
            spans.append((article.index(name), article.index(name) + len(name), label))
    story = Story("s", article, ())
    return prepare(story, StorySpans("s", [sorted(spans)]), GERMAN)


@pytest.mark.parametrize(
    ("article", "names", "count"),
    [
        ("Olaf Lund kam. Lunds Rede war kurz.", {"PERSON": "Olaf Lund"}, 1),
        ("Das war Olaf Lunds Rede, dann ging Lund.", {"PERSON": "Olaf Lunds; Lund"}, 1),
        ("Ulla Peters kam. Peter schlief. Peters lachte.", {"PERSON": "Ulla Peters; Peter"}, 2),
        ("Das Rote Kreuz kam. Autos des Roten Kreuzes.", {"ORG": "Rote Kreuz"}, 1),
        ("Die Freie Neue Union. In der Freien Neuen Union.", {"ORG": "Freie Neue Union"}, 1),
        ("Die Alte Oper und die Neue Oper.", {"ORG": "Alte Oper; Neue Oper"}, 2),
    ],
)
def test_which_forms_are_one(article: str, names: dict[str, str], count: int) -> None:
    assert len(prepared(article, **names).document.entities) == count


def test_titles_are_no_part_of_a_name() -> None:
    article = "Herr Dr. Olaf Lund und Bundeskanzlerin Mara Venn kamen."
    names = "Herr Dr. Olaf Lund; Bundeskanzlerin Mara Venn"
    assert [e.name for e in prepared(article, PERSON=names).document.entities] == [
        "Olaf Lund",
        "Mara Venn",
    ]


def test_english_does_not_inflect() -> None:
    assert list(inflected(("Merkels",), True, ENGLISH)) == []
    assert not ENGLISH.inflects


def test_a_corpus_says_its_language(tmp_path: Path) -> None:
    record = {"id": "s", "article": ARTICLE, "highlights": HIGHLIGHTS}
    (tmp_path / "s.jsonl").write_text(json.dumps(record))
    corpora = {}
    for code in ("de", "en"):
        source = Source(tmp_path / "s.jsonl", "train")
        build([source], tmp_path / code, name="n", language=code, pipeline="rules:de", workers=1)
        corpora[code] = Corpus.open(tmp_path / code)
    assert corpora["de"].language == "de"
    assert corpora["en"].language == "en"
    assert "language" not in corpora["en"].manifest["options"]  # as it always was
    assert forms(next(corpora["de"].read("train"))[0])["Angela Merkel"]


def test_an_unknown_language_and_one_without_a_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="there is no language 'tlh'; there is de, en"):
        load_language("tlh")
    assert pipeline_name("rules:de", "de") == "rules:de"
    with pytest.raises(UserError, match="there is no language 'xx'"):
        pipeline_name(None, "xx")


def test_titles_by_the_second_rules() -> None:
    story = Story(
        "s", "Da rief König Ottokar laut. Analystin Birgit Sommer kam zu König Ottokar.", ()
    )
    spans = StorySpans("s", [[(8, 21, "PERSON"), (28, 51, "PERSON")]])
    names = [e.name for e in prepare(story, spans, load_language("de", 2)).document.entities]
    assert names == ["Ottokar", "Birgit Sommer"]
    assert "König Ottokar" in [e.name for e in prepare(story, spans, GERMAN).document.entities]
