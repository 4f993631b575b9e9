"""From a story and its entity spans to a document with its questions, or the reason why not."""

from collections.abc import Sequence
from typing import NamedTuple

from cloze.builder.anonymise import anonymise
from cloze.builder.cleaning import clean_article, clean_highlight
from cloze.builder.questions import questions_of
from cloze.document import Document, Question
from cloze.names.coreference.component import Place
from cloze.names.mentions import Span
from cloze.story import Story

MOST_TOKENS = 2000  # "articles of over 2000 tokens … were filtered out"
# Nobody writes 2,000 words in more characters than this, and tagging them would take long.
_MOST_CHARACTERS = 200_000


class Outcome(NamedTuple):
    """The document, or the reason for its rejection; and the questions that had to go."""

    document: Document | None
    questions: list[Question]
    reason: str = ""
    unanswerable: int = 0


def cleaned(story: Story) -> list[str]:
    """The article and the highlights without site furniture, every character in its old place."""
    return [clean_article(story.article), *(clean_highlight(h) for h in story.highlights)]


def reject_early(story: Story) -> str:
    """The reason to reject a story before any work on its entities, or nothing."""
    if not story.article.strip():
        return "empty article"
    if not any(highlight.strip() for highlight in story.highlights):
        return "no highlights"
    if len(story.article) > _MOST_CHARACTERS:
        return f"over {MOST_TOKENS:,} tokens"
    return ""


def make_data_point(
    story: Story, spans: Sequence[Sequence[Span]], clusters: Sequence[Sequence[Place]] = ()
) -> Outcome:
    """Clean, tokenise, find names, resolve them, anonymise, ask, filter."""
    if reason := reject_early(story):
        return Outcome(None, [], reason)
    texts, places, entities = anonymise(cleaned(story), spans, clusters)
    context = texts[0]
    if not context.tokens:
        return Outcome(None, [], "empty article")
    if len(context) > MOST_TOKENS:
        return Outcome(None, [], f"over {MOST_TOKENS:,} tokens")
    questions, dropped = questions_of(story.id, context, texts[1:], places[1:])
    if not questions:
        return Outcome(None, [], "no answerable question", dropped)
    document = Document(story.id, context, entities, story.url, story.date)
    return Outcome(document, questions, "", dropped)
