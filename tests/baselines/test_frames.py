"""The worked examples of the paper's table of rules, through the real parser."""

import pytest

from cloze.baselines.frames import BACK_OFF, BE, RULES, FrameSemantic, Triple, proposals, triples
from cloze.baselines.triples import STAND_IN, Fact, passages
from cloze.document import Document, Entity, Question
from cloze.text import THE_GAP, Text, marker_of

NAMES = {"Kim": 1, "Suse": 2, "Mike": 3, "Tom": 4, "Anna": 5, "Oscar": 6, "Academy Award": 7}
NAMES |= {"Paris": 8, "Anna Lindqvist": 5}


def text_of(words: str, answer: str = "") -> Text:
    """Names become markers; X is the gap; | separates words, and a name may contain a space."""
    tokens, surfaces, spacing = [], [], []
    for word in words.split("|") if "|" in words else words.split(" "):
        tokens.append(
            "@placeholder"
            if word == "X"
            else f"@entity{NAMES[word]}"
            if word in NAMES
            else word.lower()
        )
        surfaces.append(answer if word == "X" else word)
        spacing.append(1)
    return Text(tokens, surfaces, spacing)


@pytest.fixture(scope="module")
def model() -> FrameSemantic:
    return FrameSemantic(seed=1)


def ask(model: FrameSemantic, query: str, context: str, id: str = "q"):
    known = text_of(context)
    markers = dict.fromkeys(m for t in known.tokens if (m := marker_of(t)) >= 0)
    document = Document("d", known, tuple(Entity(m, "") for m in markers))
    question = Question(id, "d", text_of(query, "whoever"), 0)
    return model.rank(document, [question])[0]


@pytest.mark.parametrize(
    ("query", "context", "answer", "rule"),
    [
        ("X loves Suse", "Anna met Anna . Kim loves Suse .", "Kim", "exact match"),
        ("X is president", "Anna met Anna . Mike is president .", "Mike", "be.01 match"),
        (
            "X|won|Oscar",
            "Anna|met|Anna|.|Tom|won|Academy Award|.",
            "Tom",
            "correct frame",
        ),
        ("X met Suse", "Anna saw Anna . Suse met Tom .", "Tom", "permuted frame"),
        ("X likes candy", "Anna saw Anna . Tom loves candy .", "Tom", "matching entity"),
        ("X sleeps", "Tom met Anna . Suse saw Anna .", "Anna", BACK_OFF),
    ],
)
def test_the_examples_of_the_paper(
    model: FrameSemantic, query: str, context: str, answer: str, rule: str
):
    ranking = ask(model, query, context)
    assert ranking.why == rule
    assert ranking.answer == NAMES[answer]


def test_the_answers_words_are_never_read(model: FrameSemantic):
    """The gap's surface is the answer itself; the parser must get a stand-in instead."""
    assert passages(text_of("X loves Suse", "Kim"))[0].text.startswith(STAND_IN)


def test_like_is_compared_with_like(model: FrameSemantic):
    ranking = ask(model, "Suse loves X", "Kim loves Suse . Anna saw Anna .")
    assert ranking.why == "permuted frame"
    assert ranking.answer == NAMES["Kim"]


def test_an_entity_of_the_question_is_not_proposed(model: FrameSemantic):
    ranking = ask(model, "X loves Suse , Kim says", "Kim loves Suse . Anna saw Anna .")
    assert ranking.answer == NAMES["Anna"]


def test_of_several_proposals_one_is_chosen_by_the_seed_and_the_question():
    context = "Kim loves Suse . Mike loves Suse . Tom loves Suse ."
    said = {
        (seed, id): ask(FrameSemantic(seed), "X loves Suse", context, id).answer
        for seed in range(4)
        for id in "abcdef"
    }
    proposed = {NAMES[name] for name in ("Kim", "Mike", "Tom")}
    assert set(said.values()) == proposed
    again = {
        key: ask(FrameSemantic(key[0]), "X loves Suse", context, key[1]).answer for key in said
    }
    assert again == said


def test_proposals_stand_above_the_others_and_the_chosen_one_on_top(model: FrameSemantic):
    ranking = ask(model, "X loves Suse", "Anna saw Anna . Kim loves Suse . Mike loves Suse .")
    assert set(ranking.candidates[:2].tolist()) == {NAMES["Kim"], NAMES["Mike"]}
    assert ranking.scores[0] > ranking.scores[1] > ranking.scores[2]
    assert ranking.candidates.tolist()[2:] == [NAMES["Anna"], NAMES["Suse"]]


P, X, Y, Z = THE_GAP, 1, 2, 3


def asked(roleset: str) -> list[Triple]:
    return [Triple(P, "ARG0", roleset, Y, "ARG1")]


@pytest.mark.parametrize(
    ("roleset", "known", "rule"),
    [
        ("love.01", Triple(X, "ARG0", "love.01", Y, "ARG1"), "exact match"),
        (BE, Triple(X, "ARG0", BE, Y, "ARG1"), "be.01 match"),
        ("love.01", Triple(X, "ARG0", "love.01", Z, "ARG1"), "correct frame"),
        ("love.01", Triple(X, "ARG1", "love.01", Y, "ARG0"), "permuted frame"),
        ("love.01", Triple(X, "ARG0", "hate.01", Y, "ARG1"), "matching entity"),
        ("love.01", Triple(X, "ARG0", "hate.01", Y, "ARG2"), BACK_OFF),
        ("love.01", Triple(X, "ARG1", "love.01", Z, "ARG0"), BACK_OFF),
        ("love.01", Triple("candy", "ARG0", "love.01", Y, "ARG1"), BACK_OFF),
    ],
)
def test_each_rule_by_itself(roleset: str, known: Triple, rule: str):
    assert proposals(asked(roleset), [known]) == (rule, set() if rule == BACK_OFF else {X})


def test_the_rules_are_tried_in_order():
    """With a triple for every rule, removing them one by one shows the order."""
    known = {
        "exact match": Triple(11, "ARG0", "love.01", Y, "ARG1"),
        "correct frame": Triple(13, "ARG0", "love.01", Z, "ARG1"),
        "permuted frame": Triple(14, "ARG1", "love.01", Y, "ARG0"),
        "matching entity": Triple(15, "ARG0", "hate.01", Y, "ARG1"),
    }
    while known:
        rule, found = proposals(asked("love.01"), list(known.values()))
        assert rule == next(iter(known))
        assert known.pop(rule).first in found
    assert list(RULES) == [
        "exact match",
        "be.01 match",
        "correct frame",
        "permuted frame",
        "matching entity",
    ]


def test_triples_pair_what_fills_different_arguments():
    fact = Fact("give.01", {"ARG0": {1}, "ARG1": {"book"}, "ARG2": {2, 3}})
    found = set(triples([fact]))
    assert Triple(1, "ARG0", "give.01", 3, "ARG2") in found
    assert Triple(2, "ARG2", "give.01", "book", "ARG1") in found
    assert not any(t.first_label == t.second_label for t in found)
    assert len(found) == 2 * (1 * 1 + 1 * 2 + 1 * 2)
