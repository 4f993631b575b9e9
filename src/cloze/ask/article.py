"""One text the whole way: entities, coreference and anonymisation, to a document and a question.

    article    The BBC producer struck by Jeremy Clarkson ... Oisin Tymon ...
    question   Producer X will not press charges against Clarkson
    document   the @entity0 producer struck by @entity1 ... @entity2 ...
    query      producer @placeholder will not press charges against @entity1

The same functions that build a corpus do the work; what is added here is the gap that a person
wrote, and the gaps that could be offered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cloze.ask.tagging import Tagged
from cloze.builder.anonymise import anonymise
from cloze.builder.data_point import MOST_TOKENS
from cloze.builder.questions import questions_of
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.names.tokens import tokenise
from cloze.text import PLACEHOLDER, Spacing, Text

GAP = "___"
STAND_IN = "Kim"  # in the place of the gap for the tagger: a name, and as long as the gap
LEAD_SENTENCES = 4
LEAD_LENGTHS = range(5, 100)  # in tokens

# The rules that the OpenAPI description gives too, written so that they mean the same in JSON
# Schema: no \w and no \b, whose letters differ from one language to another.
_SIGN = "@placeholder|__+"
_BEFORE, _AFTER = " \t\n\r\u00a0\"'(\\[{“‘«„—–/-", " \t\n\r\u00a0\"'.,;:!?)\\]}’”»…—–/"
HAS_TEXT = r"[^\s\x1c-\x1f\x85\ufeff]"
HAS_GAP = f"{_SIGN}|(^|[{_BEFORE}])X($|[{_AFTER}])"
HAS_TWO_GAPS = (
    "@placeholder[^]*(@placeholder|__)|__[^]*@placeholder|__[^_][^]*__"
    f"|^(?![^]*({_SIGN}))[^]*(^|[{_BEFORE}])X(?=[{_AFTER}])[^]*[{_BEFORE}]X($|[{_AFTER}])"
).replace("[^]", r"[\s\S]")
_GAP_SIGN = re.compile(_SIGN)
_GAP_LETTER = re.compile(f"(?:^|(?<=[{_BEFORE}]))X(?=$|[{_AFTER}])")  # not SpaceX, not X-ray


class Refusal(UserError):
    """A text that cannot be asked about; `field` says which one, `code` why."""

    def __init__(self, code: str, field: str, what: str, fix: str | None = None) -> None:
        super().__init__(what, fix=fix)
        self.code = code
        self.field = field


@dataclass(frozen=True, slots=True)
class Gapped:
    """A question with GAP in the place of the missing name."""

    text: str
    start: int

    @property
    def for_tagger(self) -> str:
        """The sentence with a name in the gap, which a tagger understands better."""
        return self.text[: self.start] + STAND_IN + self.text[self.start + len(GAP) :]

    @property
    def spaced(self) -> str:
        """The sentence with its gap apart from its neighbours, so that it is a token."""
        end = self.start + len(GAP)
        return f"{self.text[: self.start]} {GAP} {self.text[end:]}"

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a mention stands in `spaced`; nowhere, if it touches the gap."""
        if end <= self.start:
            return start, end
        return (start + 2, end + 2) if start >= self.start + len(GAP) else None


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


def find_gap(question: str) -> Gapped:
    """Find the one gap of a question. Where @placeholder or ___ stands, an X is a letter.

    >>> find_gap("Malcolm X met @placeholder's brother").text
    "Malcolm X met ___'s brother"
    """
    found = list(_GAP_SIGN.finditer(question)) or list(_GAP_LETTER.finditer(question))
    if not found:
        raise Refusal("no_gap", "question", "the question has no gap", _MARK_IT)
    if len(found) > 1:
        what = f"the question has {len(found)} gaps"
        raise Refusal("two_gaps", "question", what, "mark the one that is asked for with ___")
    start, end = found[0].span()
    before = re.sub(r"\s+", " ", question[:start]).lstrip()
    after = re.sub(r"\s+", " ", question[end:]).rstrip()
    return Gapped(before + GAP + after, len(before))


_MARK_IT = "put X, @placeholder or ___ in the place of the name that is asked for"


def check_article(article: str) -> None:
    """Refuse at once what is empty or hopelessly long, before anything slow looks at it."""
    if not re.search(HAS_TEXT, article):
        raise Refusal("empty_article", "article", "the article is empty", "paste some text")
    words = len(tokenise(article).words)
    if (
        words > 2 * MOST_TOKENS
    ):  # a name of many words is one token, so the rest needs a closer look
        raise _too_long(words)


def prepare(
    article: str,
    highlights: Sequence[str],
    question: Gapped | None,
    tagged: Sequence[Tagged],
) -> Prepared:
    """`tagged` is what was found in the article, in each highlight and in the question."""
    texts = [article, *highlights]
    tagged = list(tagged)
    if question is not None:
        texts.append(question.spaced)
        tagged[-1] = _moved(tagged[-1], question)
    spans = [
        # A form to fill in ("Name: ___") must not make a name of the gap.
        [(start, end, kind) for start, end, kind in own.spans if GAP not in text[start:end]]
        for text, own in zip(texts, tagged, strict=True)
    ]
    clusters = [
        [(number, start, end) for start, end in cluster]
        for number, own in enumerate(tagged)
        for cluster in own.clusters
    ]
    anonymised, places, entities = anonymise(texts, spans, clusters)
    context = anonymised[0]
    if len(context) > MOST_TOKENS:
        raise _too_long(len(context))
    document = Document("article", context, entities)
    told = slice(1, 1 + len(highlights))
    return Prepared(
        document,
        _highlights(context, anonymised[told], places[told]) or _lead(context),
        None if question is None else _question(anonymised[-1], question),
    )


def fitted(document: Document, question: Question, most: int) -> Document:
    """The document with at most so many entities, for a reader that knows no more markers.

    Those of the question stay, then those that are named most; the names of the others become
    words that stand for themselves.
    """
    if len(document.entities) <= most:
        return document
    text = document.context
    asked, named = question.query.mentions(), text.mentions()
    often = {marker: len(places) for marker, places in named.items()}
    ranked = sorted(
        document.entities, key=lambda e: (e.marker not in asked, -often.get(e.marker, 0))
    )
    kept = {entity.marker for entity in ranked[:most]}
    tokens = text.tokens.copy()
    for marker in named.keys() - kept:
        for place in named[marker]:
            tokens[place] = text.surfaces[place].lower()
    entities = tuple(entity for entity in document.entities if entity.marker in kept)
    return replace(document, context=replace(text, tokens=tokens), entities=entities)


def _too_long(tokens: int) -> Refusal:
    what = f"the article has {tokens:,} tokens and at most {MOST_TOKENS:,} can be read"
    return Refusal("too_long", "article", what, "shorten it")


def _moved(tagged: Tagged, question: Gapped) -> Tagged:
    """What was found in a question, less what touches its gap, once the gap stands apart."""
    spans = [
        (*place, kind)
        for start, end, kind in tagged.spans
        if (place := question.place(start, end)) is not None
    ]
    clusters = [
        [place for start, end in cluster if (place := question.place(start, end)) is not None]
        for cluster in tagged.clusters
    ]
    return Tagged(spans, clusters)


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


def _highlights(
    context: Text, highlights: Sequence[Text], places: Sequence[Sequence[int]]
) -> list[Sentence]:
    sentences = []
    for number, (text, markers) in enumerate(zip(highlights, places, strict=True)):
        if text.tokens:
            asked, _ = questions_of(f"highlight{number}", context, [text], [markers])
            sentences.append(Sentence("highlight", text, asked))
    return sentences


def _lead(context: Text) -> list[Sentence]:
    """The first sentences of the article that have a name and are long enough to mean something."""
    sentences: list[Sentence] = []
    for place in context.sentences():
        text = context[place]
        markers = [i for i, marker in enumerate(text.markers) if marker >= 0]
        if markers and len(text) in LEAD_LENGTHS:
            asked, _ = questions_of(f"lead{len(sentences)}", context, [text], [markers])
            sentences.append(Sentence("lead", text, asked))
        if len(sentences) == LEAD_SENTENCES:
            break
    return sentences
