import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze.baselines.word_distance import FARTHEST, WordDistance
from cloze.document import Document, Question
from cloze.text import marker_of
from tests.conftest import document_of, question_of


def answer(context: str, query: str) -> tuple[int, dict[int, float]]:
    document = document_of(context)
    ranking = WordDistance().rank(document, [question_of(query, 0, document)])[0]
    scores = dict(zip(ranking.candidates.tolist(), ranking.scores.tolist(), strict=True))
    return ranking.answer, scores


def plain(document: Document, question: Question) -> dict[int, int]:
    """The definition, word by word, without any shortcut."""
    context, query = document.context.tokens, question.query.tokens
    gap = query.index("@placeholder")
    best: dict[int, int] = {}
    for here, token in enumerate(context):
        if marker_of(token) < 0:
            continue
        total = 0
        for j, word in enumerate(query):
            if j == gap or not any(c.isalnum() for c in word):
                continue
            places = [i for i, other in enumerate(context) if other == word and i != here]
            total += min([FARTHEST] + [abs(i - (here + j - gap)) for i in places])
        marker = marker_of(token)
        best[marker] = min(best.get(marker, total), total)
    named = {marker_of(token) for token in query}
    below = FARTHEST * len(query) + 1
    return {m: total + (below if m in named else 0) for m, total in best.items()}


def test_tom_hanks_is_friends_with_whose_manager():
    # @entity0 Tom Hanks, @entity1 Scooter Brown, @entity2 Carly Rae Jepsen, @entity3 another
    context = (
        "@entity0 appears in the video by @entity2 , which @entity3 filmed last week . "
        "it turns out he is good friends with @entity1 , manager for @entity2 ."
    )
    query = "@entity0 is friends with @placeholder 's manager , @entity1"
    found, scores = answer(context, query)
    assert found == 2
    # Gap on the last mention: Hanks 8 (out of reach), is 5, friends 4, with 4, 's 8 (not there),
    # manager 4, Brown 8 (he should stand 4 words on and stands 4 words back).
    assert scores[2] == -(8 + 5 + 4 + 4 + 8 + 4 + 8)


def test_a_word_of_the_question_cannot_be_the_mention_that_fills_the_gap():
    # Laid on the only @entity1, the question's own @entity1 finds nothing else to align with.
    found, scores = answer("@entity1 met @entity2", "@placeholder met @entity1")
    assert found == 2
    assert scores[1] < scores[2]


def test_the_nearest_of_several_mentions_speaks_for_an_entity():
    _, scores = answer("@entity1 slept . then @entity1 sang well", "@placeholder sang well")
    assert scores[1] == 0


def test_a_tie_goes_to_the_entity_mentioned_first():
    assert answer("@entity5 ran . @entity2 ran .", "@placeholder ran")[0] == 5


@pytest.mark.parametrize("mark", [",", "``", "--", "…"])
def test_punctuation_in_the_question_counts_for_nothing(mark: str):
    assert answer("@entity1 ran", f"@placeholder ran {mark}")[1][1] == 0


words = st.sampled_from(
    ["@entity0", "@entity1", "@entity2", "won", "the", "prize", ",", "in", "'s"]
)


@settings(max_examples=200)
@given(st.lists(words, max_size=40), st.lists(words, max_size=8), st.integers(0, 8))
def test_the_compiled_sums_are_those_of_the_definition(
    context: list[str], query: list[str], at: int
):
    query = query[:at] + ["@placeholder"] + query[at:]
    document = document_of(" ".join(context) or "nothing")
    question = question_of(" ".join(query), 0, document)
    ranking = WordDistance().rank(document, [question])[0]
    expected = plain(document, question)
    found = dict(zip(ranking.candidates.tolist(), (-ranking.scores).tolist(), strict=True))
    assert found == expected
    assert ranking.scores.dtype == np.float32
    if expected:
        assert ranking.answer == min(expected, key=expected.__getitem__)
