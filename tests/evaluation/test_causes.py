"""Each cause has an example of its own, and the rules apply in order."""

import pytest

from cloze.document import Document, Entity, Question
from cloze.evaluation.causes import CAUSES, Article, Reading
from cloze.names.language import load_language
from cloze.text import Spacing, Text


def _text(tokens: str) -> Text:
    words = tokens.split()
    return Text(words, words, [int(Spacing.SPACE)] * len(words))


def _reading(
    context: str, query: str, right: int, names: dict[int, str], types: dict[int, str] | None = None
) -> Reading:
    types = types or {}
    entities = tuple(Entity(m, n, types.get(m, ""), (n,)) for m, n in names.items())
    document = Document("d", _text(context), entities)
    return Reading(Article(document, load_language("en")), Question("q", "d", _text(query), right))


NAMES = {0: "Mara Venn", 1: "Ostrava", 2: "Kestrel Bay", 3: "Tobias Lund"}
ASK = "@placeholder opened the northern harbour bridge yesterday"


@pytest.mark.parametrize(
    ("cause", "context", "query", "right", "given", "names"),
    [
        ("one-entity", "@entity0 spoke . @entity3 left .", ASK, 0, 3, NAMES | {3: "Venn"}),
        ("one-entity", "@entity0 spoke . @entity3 left .", ASK, 0, 3,
         {0: "North Harbour Council", 3: "NHC"}),
        ("one-entity", "@entity0 ( @entity3 ) spoke .", ASK, 0, 3, NAMES),
        ("one-entity", "@entity0 , also known as @entity3 , spoke .".replace(" , also", " also"), ASK,
         0, 3, NAMES),
        ("place", "in @entity1 . from @entity2 .", "northern harbour bridge opened in @placeholder",
         1, 2, NAMES),
        ("asked", "@entity0 met @entity3 .", "@placeholder met @entity3 at northern harbour bridge",
         0, 3, NAMES),
        ("short", "@entity0 met @entity3 .", "@placeholder left", 0, 3, NAMES),
        ("elsewhere", "@entity3 opened the northern harbour bridge . @entity0 slept .", ASK, 0, 3,
         NAMES),
        ("neighbour", "@entity3 saw @entity0 open the northern harbour bridge .", ASK, 0, 3, NAMES),
        ("frequent",
         "@entity0 opened the northern harbour bridge . @entity3 slept . @entity3 ate .", ASK, 0, 3,
         NAMES),
        ("unexplained", "@entity0 opened the northern harbour bridge . @entity3 slept .", ASK, 0, 3,
         NAMES),
    ],
)  # fmt: skip
def test_each_cause(
    cause: str, context: str, query: str, right: int, given: int, names: dict[int, str]
) -> None:
    assert _reading(context, query, right, names).cause(given) == cause


def test_every_cause_is_told_and_has_a_rule() -> None:
    keys = [cause.key for cause in CAUSES]
    assert len(set(keys)) == len(keys)
    assert keys[-1] == "unexplained"
    assert all(cause.rule.endswith(".") for cause in CAUSES)


def test_types_decide_where_they_are_known() -> None:
    context, query = "in @entity1 . in @entity2 .", "northern harbour bridge opened in @placeholder"
    places = _reading(context, query, 1, NAMES, {1: "GPE", 2: "LOC"})
    people = _reading(context, query, 1, NAMES, {1: "GPE", 2: "PERSON"})
    assert places.cause(2) == "place"
    assert people.cause(2) != "place"
    namesake = _reading(
        "@entity1 . @entity3 .", ASK, 1, NAMES | {3: "Ostrava Rail"}, {1: "GPE", 3: "ORG"}
    )
    assert namesake.cause(3) != "one-entity"


def test_no_answer_and_empty_document() -> None:
    assert _reading("@entity0 slept .", ASK, 0, NAMES).cause(-1) == "unexplained"
    assert _reading("hello", ASK, 0, {}).cause(-1) == "elsewhere"
