"""From a story and its entity spans to a document with its questions, in the same way for all.

`cloze build` passes the spans that a tagger found, the newsroom its gold, and `cloze ask` a user's
article with the question as one more text.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cloze.builder.anonymise import anonymise
from cloze.builder.cleaning import clean_article, clean_highlight
from cloze.builder.questions import questions_of
from cloze.document import Document, Question
from cloze.names.coreference.resolve import resolve
from cloze.names.corrections import Correction, correct
from cloze.names.language import Language
from cloze.names.mentions import find_mentions, given_mentions
from cloze.names.spans import StorySpans
from cloze.names.tokens import tokenise
from cloze.stories import Reason, Story
from cloze.text import Text

MOST_TOKENS = 2000  # "articles of over 2000 tokens … were filtered out"
# No 2,000 words have more characters than this, and tagging them would take long.
_MOST_CHARACTERS = 200_000


class DataPoint(NamedTuple):
    """A document, its anonymised highlights with the questions from each, and further texts that
    share the document's markers."""

    document: Document
    highlights: list[Text]
    questions: list[list[Question]]  # of each highlight
    unanswerable: int  # questions left out because their answer is not in the context
    also: list[Text]


def prepare(
    story: Story,
    spans: StorySpans,
    language: Language,
    also: Sequence[str] = (),
    corrections: Sequence[Correction] = (),
) -> DataPoint:
    """Clean, tokenise, find names, resolve them, anonymise, ask.

    `spans` holds those of the article, of each highlight, and of each text in `also`;
    `corrections` say what is wrong with the names that were found.
    """
    texts = [
        clean_article(story.article, language),
        *(clean_highlight(text, language) for text in (*story.highlights, *also)),
    ]
    tokens = [tokenise(text, language) for text in texts]
    if spans.gold:
        names, mentions, clusters = given_mentions(tokens, spans.texts, spans.clusters)
    else:
        names, mentions = find_mentions(tokens, spans.texts, language)
        clusters, _ = resolve(names, tokens, mentions, language, spans.clusters)
    if corrections:
        found = (texts, tokens, names, mentions, clusters)
        names, mentions, clusters = correct(*found, corrections)
    (context, *others), entities = anonymise(texts, tokens, names, mentions, clusters, language)
    highlights = others[: len(story.highlights)]
    present = context.mentions()
    asked = [
        questions_of(f"{story.id}-{number}", story.id, highlight, present)
        for number, highlight in enumerate(highlights)
    ]
    return DataPoint(
        Document(story.id, context, entities, story.url, story.date),
        highlights,
        [questions for questions, _ in asked],
        sum(dropped for _, dropped in asked),
        others[len(story.highlights) :],
    )


def reject_early(story: Story) -> Reason | None:
    """Why a story cannot be in a corpus, if that is clear before its entities are found."""
    if not story.article.strip():
        return Reason.EMPTY
    if not any(highlight.strip() for highlight in story.highlights):
        return Reason.NO_HIGHLIGHTS
    return Reason.TOO_LONG if len(story.article) > _MOST_CHARACTERS else None


def reject(point: DataPoint) -> Reason | None:
    """Why a data point cannot be in a corpus, if so."""
    if not point.document.context.tokens:
        return Reason.EMPTY
    if len(point.document.context) > MOST_TOKENS:
        return Reason.TOO_LONG
    return None if any(point.questions) else Reason.NO_QUESTION
