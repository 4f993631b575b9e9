"""The five forms of a question say the same thing in other words."""

import re
from dataclasses import replace

import numpy as np
import pytest

from cloze.document import Document, Entity, Point
from cloze.errors import UserError
from cloze.language_models.forms import Form, items, letter
from cloze.language_models.other_names import other_names
from cloze.text import Text
from tests.conftest import document_of, question_of


@pytest.mark.parametrize("form", Form)
def test_one_id_one_answer_the_same_candidates(points: list[Point], form: Form) -> None:
    for point in points:
        document, questions = point
        for question, item in zip(questions, items(point, form), strict=True):
            assert (item.question_id, item.document_id) == (question.id, document.id)
            assert item.answer == question.answer
            assert {c.marker for c in item.candidates} == set(document.candidates())
            assert len({c.label.casefold() for c in item.candidates}) == len(item.candidates)
            assert item.question.count("@placeholder") == 1
            assert bool(item.article) == form.has_article


def test_markers_have_one_width_and_none_begins_another(points: list[Point]) -> None:
    for item in items(points[0], Form.MARKERS):
        labels = [c.label for c in item.candidates]
        assert len({len(label) for label in labels}) == 1
        assert sorted(set(labels)) == sorted(labels)
        assert all(re.fullmatch(r"@entity\d{2,}", label) for label in labels)


def test_markers_leave_no_name_and_names_no_marker(points: list[Point]) -> None:
    for point in points:
        names = {e.name for e in point[0].entities if e.type == "PERSON"}
        for item in items(point, Form.MARKERS):
            assert not any(name in item.article + item.question for name in names)
        for form in (Form.NAMES, Form.SWAPPED, Form.NAMES_ALONE):
            for item in items(point, form):
                assert "@entity" not in item.article + item.question
        for item in items(point, Form.SWAPPED):
            assert not any(name in item.article + item.question for name in names)


def test_the_real_names_are_the_text_as_it_was_published(points: list[Point]) -> None:
    for point in points:
        assert items(point, Form.NAMES)[0].article == point[0].context.original


def test_numbers_and_order_are_drawn_from_the_seed(points: list[Point]) -> None:
    first, again, other = (items(points[0], Form.MARKERS, seed) for seed in (1, 1, 2))
    assert first == again
    assert [c.marker for c in first[0].candidates] != [c.marker for c in other[0].candidates]
    assert first[0].article != other[0].article


def test_the_place_of_the_answer_says_nothing(points: list[Point]) -> None:
    places = []
    for seed in range(40):
        for point in points:
            for item in items(point, Form.MARKERS, seed):
                order = [c.marker for c in item.candidates]
                places.append(order.index(item.answer) / (len(order) - 1))
    assert abs(np.mean(places) - 0.5) < 4 * 0.31 / np.sqrt(len(places))


def test_two_entities_under_one_name_get_different_labels() -> None:
    document = document_of("@entity0 met @entity1 .")
    entities = tuple(replace(e, name="Brook") for e in document.entities)
    point = (replace(document, entities=entities), [question_of("@placeholder met", 0, document)])
    assert {c.label for c in items(point, Form.NAMES)[0].candidates} == {"Brook", "Brook (2)"}


def test_a_corpus_without_names_is_refused() -> None:
    document = replace(document_of("@entity0 met @entity1 ."), entities=())
    point = (document, [question_of("@placeholder met", 0, document)])
    assert items(point, Form.MARKERS)
    with pytest.raises(UserError, match="has markers but no names"):
        items(point, Form.NAMES)


def test_letters_never_run_out() -> None:
    letters = [letter(place) for place in range(2000)]
    assert len(set(letters)) == 2000
    assert letters[:3] == ["A", "B", "C"]


def person(article: str, *entities: Entity) -> Document:
    words = article.split()
    surfaces = [word.partition("=")[2] or word for word in words]
    tokens = [word.partition("=")[0].lower() for word in words]
    text = Text(tokens, [s.replace("_", " ") for s in surfaces], [1] * len(words))
    return Document("d", text, entities)


ANN = Entity(0, "Ann Brook", "PERSON", ("Ann Brook", "Brook", "Ann"))
TOWN = Entity(1, "Tollan Harbour Board", "ORG", ("Tollan Harbour Board", "Board"))


def test_short_forms_are_those_of_the_new_name() -> None:
    text = "@entity0=Ann_Brook said she left . @entity0=Brook and @entity0=Ann of @entity1=Board"
    new = other_names(person(text, ANN, TOWN))
    first, last = new[0].full.split()
    assert (new[0].form("Ann Brook"), new[0].form("Brook"), new[0].form("Ann")) == (
        f"{first} {last}",
        last,
        first,
    )
    assert new[0].form("BROOK") == new[0].full.upper()
    assert new[1].form("Board") in new[1].full


@pytest.mark.parametrize(("word", "women"), [("she", True), ("he", False)])
def test_the_pronoun_beside_it_tells_the_sex(word: str, women: bool) -> None:
    from cloze.newsroom.name_parts import MEN, WOMEN

    for seed in range(20):
        new = other_names(person(f"@entity0=Ann_Brook said {word} left .", ANN), seed)
        assert new[0].full.split()[0] in (WOMEN if women else MEN)


def test_no_two_entities_share_a_word_and_none_has_an_old_one(points: list[Point]) -> None:
    for document, _ in points:
        new = other_names(document)
        words = [w for name in new.values() for w in {*name.full.split()}]
        old = {w for e in document.entities for s in (e.name, *e.surfaces) for w in s.split()}
        assert len(words) == len(set(words))
        assert not old & set(words)


def test_five_hundred_people_get_five_hundred_names() -> None:
    people = [Entity(k, f"Old{k} Name{k}", "PERSON", (f"Old{k} Name{k}",)) for k in range(500)]
    text = " ".join(f"@entity{k}=Old{k}_Name{k}" for k in range(500))
    new = other_names(person(text, *people))
    assert len({name.full for name in new.values()}) == 500
