"""Names mended by hand, in an article, its highlights and the question."""

from collections.abc import Sequence

import pytest

from cloze.ask.article import Asked, Prepared, prepare_asked
from cloze.names.corrections import Apart, Correction, Cut, Join, NoName
from tests.ask.conftest import capitals

ARTICLE = "Mara Venn met Tobias Lund in Ostrava. Venn left. They say that Anna Quill stayed."
QUESTION = "X met Lund in Ostrava"


def prepared(*corrections: Correction, article: str = ARTICLE) -> Prepared:
    asked = Asked.of(article, ["Venn and Lund met"], QUESTION, corrections=corrections)
    return prepare_asked(asked, capitals(asked.to_tag))


def names(found: Prepared) -> list[set[str]]:
    return [set(entity.surfaces) for entity in found.document.entities]


def test_what_is_found_without_help() -> None:
    found = names(prepared())
    assert {"Mara Venn", "Venn"} in found
    assert {"Ostrava"} in found
    assert {"Anna Quill"} in found


def test_a_word_that_is_no_name() -> None:
    found = prepared(NoName("Ostrava"))
    assert {"Ostrava"} not in names(found)
    assert "ostrava" in found.document.context.tokens
    assert found.question is not None
    assert "ostrava" in found.question.query.tokens  # in the question too
    assert found.document.context.original == prepared().document.context.original


def test_two_names_are_one() -> None:
    found = prepared(Join("Mara Venn", "Anna Quill"))
    assert {"Mara Venn", "Venn", "Anna Quill"} in names(found)
    markers = found.document.context.mentions()
    assert sorted(len(places) for places in markers.values())[-1] == 3


def test_one_name_is_two() -> None:
    found = prepared(Apart("Venn"))
    assert {"Mara Venn"} in names(found)
    assert {"Venn"} in names(found)
    assert len(found.sentences[0].questions) == 2  # the highlight's Venn is the other one too


def test_two_names_read_as_one() -> None:
    article = "they say that in Ostrava Mara Venn met Lund. Ostrava is cold. Mara Venn left."
    assert {"Ostrava Mara Venn", "Ostrava", "Mara Venn", "Venn"} in names(prepared(article=article))
    found = prepared(Cut("Ostrava", "Mara Venn"), article=article)
    assert {"Ostrava"} in names(found)
    assert {"Mara Venn", "Venn"} in names(found)  # with the Venn of the highlight
    assert found.document.context.original == article


@pytest.mark.parametrize(
    "nothing",
    [[NoName("Nobody")], [Join("Venn", "Nobody")], [Apart("Nobody")], [Cut("Mara", "Nobody")],
     [Cut("Mara Ve", "nn")], [Join("Venn", "Mara Venn")]],
)  # fmt: skip
def test_corrections_of_names_that_are_not_there_do_nothing(nothing: Sequence[Correction]) -> None:
    assert prepared(*nothing) == prepared()


def test_corrections_are_applied_in_order() -> None:
    apart = prepared(Apart("Venn"), Join("Venn", "Tobias Lund"))
    assert {"Venn", "Tobias Lund", "Lund"} in names(apart)
    undone = prepared(Apart("Venn"), Join("Venn", "Mara Venn"))
    assert undone.document.context == prepared().document.context
