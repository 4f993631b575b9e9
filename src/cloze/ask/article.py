"""A pasted article, taken all the way to a document and a question.

    article    The BBC producer struck by Jeremy Clarkson ... Oisin Tymon ...
    question   Producer X will not press charges against Clarkson
    document   the @entity0 producer struck by @entity1 ... @entity2 ...
    query      producer @placeholder will not press charges against @entity1

The function that prepares a corpus does the work; this module adds the gap that a person wrote, and
the gaps to offer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from cloze.ask.gap import GAP, Gapped, Refusal, find_gap
from cloze.builder.prepare import prepare
from cloze.builder.questions import questions_of
from cloze.document import Document, Question
from cloze.names.corrections import Correction
from cloze.names.language import NEWEST_RULES, Language, load_language
from cloze.names.spans import StorySpans
from cloze.names.tokens import tokenise
from cloze.randomness import key_of
from cloze.stories import Story
from cloze.text import PLACEHOLDER, Spacing, Text

MOST_TOKENS = 8000  # of an article, four times as many as in a corpus: finding names takes long
LEAD_SENTENCES = 4
LEAD_LENGTHS = range(5, 100)  # in tokens

HAS_TEXT = r"[^\s\x00-\x1f\x7f\x85\u200b-\u200f\u2060-\u2064\ufeff]"


@dataclass(frozen=True, slots=True)
class Asked:
    """An article with its highlights, and the question about it if there is one."""

    story: Story
    question: Gapped | None
    language: Language
    corrections: tuple[Correction, ...] = ()  # of the names that are found

    @classmethod
    def of(
        cls,
        article: str,
        highlights: Sequence[str] = (),
        question: str | None = None,
        language: str = "en",
        rules: int = NEWEST_RULES,
        corrections: Sequence[Correction] = (),
    ) -> Self:
        check_article(article, language)
        story = Story("article", article, tuple(line for line in highlights if line.strip()))
        known = load_language(language, rules)
        gapped = None if question is None else find_gap(question, known)
        return cls(story, gapped, known, tuple(corrections))

    @property
    def to_tag(self) -> list[Story]:
        """What the tagger sees: the story as `cloze build` shows it, and the question separately,
        so that the names of the article do not depend on what is asked about it."""
        if self.question is None:
            return [self.story]
        return [self.story, Story("question", self.question.for_tagger, ())]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the questions that it gives when one of its names is left out."""

    source: Literal["highlight", "lead"]
    text: Text
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Prepared:
    document: Document
    sentences: list[Sentence]
    question: Question | None


def check_article(article: str, language: str = "en") -> None:
    """Refuse empty or hopelessly long texts before any slow step."""
    if not re.search(HAS_TEXT, article):
        raise _empty()
    words = len(tokenise(article, load_language(language)).words)
    if words > 2 * MOST_TOKENS:  # a name of many words is one token, so names decide below
        raise _too_long(words)


def prepare_asked(asked: Asked, tagged: Sequence[StorySpans]) -> Prepared:
    """The document of the article, the questions to offer and the one that is asked; `tagged` has
    the spans found in each story of `asked.to_tag`."""
    question = asked.question
    if question is None:
        point = prepare(asked.story, tagged[0], asked.language, (), asked.corrections)
    else:
        spans = _with_question(asked.story, question, *tagged)
        also = [question.spaced]
        point = prepare(asked.story, spans, asked.language, also, asked.corrections)
    context = point.document.context
    if not context.tokens:
        raise _empty()
    if len(context) > MOST_TOKENS:
        raise _too_long(len(context))
    highlights = [
        Sentence("highlight", text, questions)
        for text, questions in zip(point.highlights, point.questions, strict=True)
        if text.tokens
    ]
    own = None if question is None else _question(point.also[0], question)
    return _named_by_text(Prepared(point.document, highlights or _lead(context), own))


def _named_by_text(prepared: Prepared) -> Prepared:
    """The same with ids that are hashes of the texts. Readers draw their naming of the entities by
    a question's id, so the same question is answered alike whenever, and however, it is asked."""
    document = prepared.document
    name = f"{key_of(document.context.anonymised):016x}"

    def own(question: Question) -> Question:
        return replace(
            question, id=f"{name}-{key_of(question.query.anonymised):016x}", document_id=name
        )

    return Prepared(
        replace(document, id=name),
        [replace(s, questions=[own(q) for q in s.questions]) for s in prepared.sentences],
        None if prepared.question is None else own(prepared.question),
    )


def _empty() -> Refusal:
    return Refusal("empty_article", "article", "the article is empty", "paste some text")


def _too_long(tokens: int) -> Refusal:
    what = f"the article has {tokens:,} tokens and at most {MOST_TOKENS:,} can be read"
    return Refusal("too_long", "article", what, "shorten it")


def _with_question(
    story: Story, question: Gapped, spans: StorySpans, found: StorySpans
) -> StorySpans:
    """The spans of the story, then those of the question except any that touch its gap."""
    # A form to fill in ("Name: ___") must not turn the gap into a name.
    texts = [
        [(start, end, kind) for start, end, kind in own if GAP not in text[start:end]]
        for text, own in zip((story.article, *story.highlights), spans.texts, strict=True)
    ]
    number = len(texts)
    texts.append(
        [
            (*place, kind)
            for start, end, kind in found.texts[0]
            if (place := question.place(start, end)) is not None
        ]
    )
    clusters = [
        [(number, *p) for _, start, end in cluster if (p := question.place(start, end)) is not None]
        for cluster in found.clusters
    ]
    return StorySpans(story.id, texts, [*spans.clusters, *clusters])


def _question(text: Text, gapped: Gapped) -> Question:
    gap = text.surfaces.index(GAP)
    tokens, spacing = text.tokens.copy(), text.spacing.copy()
    tokens[gap] = PLACEHOLDER
    end = gapped.start + len(GAP)
    if gap and not gapped.text[gapped.start - 1].isspace():
        spacing[gap - 1] = int(Spacing.NOTHING)
    if not gapped.text[end : end + 1].isspace():
        spacing[gap] = int(Spacing.NOTHING)
    return Question("question", "article", Text(tokens, text.surfaces, spacing), answer=-1)


def _lead(context: Text) -> list[Sentence]:
    """The first sentences of the article that have a name and are long enough to mean something."""
    sentences: list[Sentence] = []
    present = context.mentions()
    for place in context.sentences():
        text = context[place]
        if len(text) in LEAD_LENGTHS:
            name = f"lead-{len(sentences)}"
            if questions := questions_of(name, "article", text, present)[0]:
                sentences.append(Sentence("lead", text, questions))
        if len(sentences) == LEAD_SENTENCES:
            break
    return sentences
