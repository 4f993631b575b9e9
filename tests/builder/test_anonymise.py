"""Markers and questions: the paper's example, the filters, and that nothing of the text is lost."""

from hypothesis import given
from hypothesis import strategies as st

from cloze.builder.prepare import MOST_TOKENS, DataPoint, prepare, reject, reject_early
from cloze.names.language import load_language
from cloze.names.name import Span
from cloze.names.spans import StorySpans
from cloze.stories import Reason, Story
from cloze.text import PLACEHOLDER, marker_of

ENGLISH = load_language("en")
ARTICLE = (
    'The BBC producer allegedly struck by Jeremy Clarkson will not press charges against the "Top '
    'Gear" host, his lawyer said Friday. Clarkson was dropped by the BBC after the British '
    "broadcaster found he had subjected producer Oisin Tymon to an attack."
)
HIGHLIGHT = "Producer Oisin Tymon will not press charges against Jeremy Clarkson, his lawyer says."
TAGGED = {
    "BBC": "ORG",
    "Jeremy Clarkson": "PERSON",
    "Top Gear": "WORK_OF_ART",
    "British": "NORP",
    "Oisin Tymon": "PERSON",
}


def spans(text: str) -> list[Span]:
    return [(text.index(n), text.index(n) + len(n), t) for n, t in TAGGED.items() if n in text]


def story(*highlights: str, article: str = ARTICLE) -> Story:
    return Story("saccharin", article, highlights, "http://example.org", "2015-03-25")


def prepared(story: Story, *texts: list[Span]) -> DataPoint:
    return prepare(story, StorySpans(story.id, list(texts)), ENGLISH)


def test_the_papers_example() -> None:
    outcome = prepared(story(HIGHLIGHT), spans(ARTICLE), spans(HIGHLIGHT))
    assert outcome.document.context.anonymised == (
        "the @entity0 producer allegedly struck by @entity1 will not press charges against the `` "
        "@entity2 '' host , his lawyer said friday . @entity1 was dropped by the @entity0 after the "
        "@entity3 broadcaster found he had subjected producer @entity4 to an attack ."
    )
    assert [entity.name for entity in outcome.document.entities] == list(TAGGED)
    ((first, second),) = outcome.questions
    assert first.id == "saccharin-0-0"
    assert second.id == "saccharin-0-1"
    assert first.query.anonymised == (
        "producer @placeholder will not press charges against @entity1 , his lawyer says ."
    )
    assert first.answer == 4
    assert first.query.surfaces[1] == "Oisin Tymon"
    assert second.answer == 1
    assert outcome.document.context.original == ARTICLE
    assert first.query.original == HIGHLIGHT


def test_other_mentions_of_the_answer_stay_as_its_marker() -> None:
    highlight = "Clarkson says Clarkson is sorry"
    outcome = prepared(story(highlight), spans(ARTICLE), [])
    asked = [question.query.anonymised for question in outcome.questions[0]]
    assert asked == ["@placeholder says @entity1 is sorry", "@entity1 says @placeholder is sorry"]


def test_a_question_whose_answer_is_not_in_the_context_is_dropped() -> None:
    highlight = "BBC and Zembla agree"
    tagged = [*spans(highlight), (highlight.index("Zembla"), highlight.index("Zembla") + 6, "GPE")]
    outcome = prepared(story(highlight), spans(ARTICLE), tagged)
    assert [question.answer for question in outcome.questions[0]] == [0]
    assert outcome.unanswerable == 1


def test_rejects() -> None:
    def reason(one: Story) -> Reason | None:
        texts = [one.article, *one.highlights]
        return reject_early(one) or reject(prepared(one, *map(spans, texts)))

    assert reason(story(HIGHLIGHT)) is None
    assert reason(story(HIGHLIGHT, article=" \n")) == "empty article"
    assert reason(story(HIGHLIGHT, article="(CNN) -- ")) == "empty article"
    assert reason(story()) == "no highlights"
    assert reason(story(" ", "")) == "no highlights"
    assert reason(story("It rains")) == "no answerable question"
    long = ARTICLE + " word" * MOST_TOKENS
    assert reason(story(HIGHLIGHT, article=long)) == "over 2,000 tokens"
    assert reason(story(HIGHLIGHT, article=ARTICLE + " word" * 200_000)) == "over 2,000 tokens"


def test_the_limit_counts_tokens_after_anonymisation() -> None:
    names = "Jeremy Clarkson " * 1999  # 3,998 words, 1,999 markers
    for end, reason in (("left", None), ("left it", Reason.TOO_LONG)):
        point = prepared(story(HIGHLIGHT, article=names + end), spans(names), spans(HIGHLIGHT))
        assert len(point.document.context) == 1999 + len(end.split())
        assert reject(point) == reason


def test_a_further_text_shares_the_markers_and_gives_no_question() -> None:
    also = "NEW: Was ___ struck by Clarkson of the BBC?"
    spans_of_all = StorySpans("x", [spans(text) for text in (ARTICLE, HIGHLIGHT, also)])
    point = prepare(story(HIGHLIGHT), spans_of_all, ENGLISH, also=[also])
    assert [text.anonymised for text in point.also] == [
        "was ___ struck by @entity1 of the @entity0 ?"
    ]
    assert len(point.questions) == len(point.highlights) == 1


def test_gold_spans_are_the_whole_truth() -> None:
    """Nothing is searched for beyond them, and their clusters are kept as given."""
    clark, tymon = ARTICLE.index("Clarkson was"), ARTICLE.index("Oisin")
    texts: list[list[Span]] = [[(clark, clark + 8, "PERSON"), (tymon, tymon + 11, "ORG")], []]
    gold = StorySpans("x", texts, [[(0, clark, clark + 8), (0, tymon, tymon + 11)]], gold=True)
    document = prepare(story(HIGHLIGHT), gold, ENGLISH).document
    assert [entity.surfaces for entity in document.entities] == [("Clarkson", "Oisin Tymon")]
    assert document.context.tokens.count("@entity0") == 2


WORDS = [
    "Ann",
    "Tillow",
    "Zembla",
    "said",
    "in",
    "the",
    "BBC",
    "U.S.",
    "it's",
    '"so"',
    "most-liked",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40), st.data())
def test_de_anonymised_is_the_original(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    tagged: list[Span] = []
    for start in sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4))):
        end = data.draw(st.integers(start, len(text)))
        tagged.append((start, end, data.draw(st.sampled_from(["PERSON", "ORG", "GPE", "NORP"]))))
    point = prepared(story(text, article=text), tagged, [])
    context, entities = point.document.context, point.document.entities
    assert context.original == text
    assert point.highlights[0].original == text
    order = list(dict.fromkeys(m for token in context.tokens if (m := marker_of(token)) >= 0))
    assert order == list(range(len(order)))  # numbered by first mention
    assert {entity.marker for entity in entities} == set(range(len(entities)))
    assert PLACEHOLDER not in context.tokens
