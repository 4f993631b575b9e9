"""What replies say, and what they do not."""

import pytest

from cloze.language_models.forms import Candidate, Form, Item
from cloze.language_models.replies import Reply
from cloze.language_models.verdict import Outcome, outcome_of, verdict

MARKERS = Item(
    "q",
    "d",
    Form.MARKERS,
    "@entity07 met @entity01 in @entity12 .",
    "@placeholder met @entity01",
    (
        Candidate(3, "@entity07", "A"),
        Candidate(4, "@entity01", "B"),
        Candidate(5, "@entity12", "C"),
    ),
    frozenset({4}),
    3,
)
NAMES = Item(
    "q",
    "d",
    Form.NAMES,
    "Ann Brook met John Oke in New York .",
    "@placeholder met John Oke",
    (
        Candidate(3, "Ann Brook", "A", ("Ann Brook", "Brook")),
        Candidate(4, "John Oke", "B", ("John Oke", "Oke")),
        Candidate(5, "New York", "C", ("New York",)),
        Candidate(6, "York", "D", ("York",)),
    ),
    frozenset({4}),
    3,
)


@pytest.mark.parametrize(
    ("said", "marker"),
    [
        ("@entity07", 3),
        ("@entity7", 3),
        (" **@Entity07**. ", 3),
        ("The answer is @entity12.", 5),
        ("@entity07 met @entity01", 3),  # the question with its gap filled
        ("@entity01", 4),  # alone, though the question names it
        ("It could be @entity07 or @entity12. Answer: @entity12", 5),
        ("<think>@entity12? no, @entity01</think>@entity07", 3),
        ("@placeholder = @entity12", 5),
        ("@entity07? The answer is:\n@entity12", 5),
        ("@placeholder stands for @entity07", 3),
    ],
)
def test_a_marker_is_understood(said: str, marker: int) -> None:
    found = verdict(Reply(text=said), MARKERS)
    assert (found.outcome, found.marker, found.why) == (Outcome.ANSWERED, marker, "by marker")


@pytest.mark.parametrize(
    ("said", "marker"),
    [
        ("Ann Brook", 3),
        ("ann brook", 3),
        ("Brook", 3),
        ("“Ann Brook”", 3),
        ("It was Brook who met John Oke.", 3),
        ("New York", 5),  # not York, which is another candidate
        ("york", 6),
    ],
)
def test_a_name_is_understood(said: str, marker: int) -> None:
    found = verdict(Reply(text=said), NAMES)
    assert (found.outcome, found.marker, found.why) == (Outcome.ANSWERED, marker, "by name")


@pytest.mark.parametrize("said", ["B", "B.", "(B)", "B) @entity01", "Answer: B", "b"])
def test_a_letter_counts_only_where_the_prompt_shows_letters(said: str) -> None:
    assert verdict(Reply(text=said), NAMES).outcome is Outcome.UNPARSABLE or "@" in said
    shown = verdict(Reply(text=said), NAMES, letters=True)
    if said == "b":  # too much like a word
        assert shown.outcome is Outcome.UNPARSABLE
    else:
        assert (shown.marker, shown.why) == (4, "by letter")


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(text=""), Outcome.EMPTY),
        (Reply(text=" \n"), Outcome.EMPTY),
        (Reply(text="<think>hm</think>"), Outcome.EMPTY),
        (Reply(text="", finish="length"), Outcome.CUT_OFF),
        (Reply(text="<think>well, @entity07", finish="length"), Outcome.CUT_OFF),
        (Reply(text="The statement says that", finish="length"), Outcome.CUT_OFF),
        (Reply(text="I'm sorry, I cannot help with that."), Outcome.REFUSED),
        (Reply(text="I can’t say."), Outcome.REFUSED),
        (Reply(text="No.", refused=True), Outcome.REFUSED),
        (Reply(text="", finish="content_filter"), Outcome.REFUSED),
        (Reply(text="the president"), Outcome.UNPARSABLE),
        (Reply(text="@entity99"), Outcome.UNPARSABLE),
        (Reply(text="@entity070"), Outcome.UNPARSABLE),
        (Reply(text="@entity07 or @entity99"), Outcome.UNPARSABLE),
        (Reply(text="@entity07 or @entity12"), Outcome.UNPARSABLE),
        (Reply(text=MARKERS.article), Outcome.UNPARSABLE),
        (Reply(text="@entity" + "9" * 5000), Outcome.UNPARSABLE),
        (Reply(failure="time-out"), Outcome.FAILED),
    ],
)
def test_each_reason_is_its_own(reply: Reply, outcome: Outcome) -> None:
    found = verdict(reply, MARKERS)
    assert (found.outcome, found.marker) == (outcome, -1)
    assert outcome_of(found.why) is outcome


def test_without_candidates_nothing_is_meant() -> None:
    from dataclasses import replace

    for item in (MARKERS, NAMES):
        empty = replace(item, candidates=())
        assert verdict(Reply(text="@entity07"), empty).outcome is Outcome.UNPARSABLE
