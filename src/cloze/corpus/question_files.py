"""The published `.question` format, with one data point per file.

    http://example.org/story           the URL
                                       (a blank line between the parts)
    the @entity0 producer ...          the context
    producer @placeholder will ...     the question
    @entity3                           the answer
    @entity0:BBC                       the entities, one per line
    @entity3:Oisin Tymon

The file's name is the SHA-1 of its bytes plus `.question`. Parsing keeps every byte that matters:
exporting what was imported gives the same bytes.
"""

import hashlib
from dataclasses import dataclass

from cloze.document import Document, Entity, Question
from cloze.errors import UserError
from cloze.text import MARKER, PLACEHOLDER, Spacing, Text, marker_of

PARTS = ("URL", "context", "question", "answer", "entities")


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The parts of one file, checked."""

    url: str
    context: str
    question: str
    answer: str
    entities: tuple[tuple[str, str], ...]  # (marker, name), in the order of the file

    @property
    def content(self) -> bytes:
        lines = [f"{marker}:{name}" for marker, name in self.entities]
        parts = [self.url, self.context, self.question, self.answer, "\n".join(lines)]
        return "\n\n".join(parts).encode()

    @property
    def sha1(self) -> str:
        return hashlib.sha1(self.content).hexdigest()


def parse(content: bytes, where: object) -> QuestionFile:
    """Read one file; `where` names it in the error when a part is missing or wrong."""
    if b"\r" in content:
        raise UserError("has Windows line ends (CRLF)", where=where, fix="convert it: dos2unix")
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise UserError(f"is not UTF-8 (byte {problem.start})", where=where) from None
    parts = text.split("\n\n", 4)
    if len(parts) < len(PARTS):
        raise UserError(
            f"has {len(parts)} of the 5 parts; the part '{PARTS[len(parts)]}' is missing",
            where=where,
            fix="URL, context, question, answer and entities, with blank lines between them",
        )
    url, context, question, answer, lines = parts
    file = QuestionFile(url, context, question, answer, _entities(lines, where))
    _check(file, where)
    return file


def _entities(lines: str, where: object) -> tuple[tuple[str, str], ...]:
    entities = []
    for line in lines.split("\n") if lines else []:
        marker, colon, name = line.partition(":")
        if not colon or marker_of(marker) < 0:
            raise UserError(
                f"'{line[:60]}' is not an entity line", where=where, fix="@entityN:name"
            )
        entities.append((marker, name))
    return tuple(entities)


def _check(file: QuestionFile, where: object) -> None:
    known = [marker for marker, _ in file.entities]
    if len(set(known)) < len(known):
        twice = next(marker for marker in known if known.count(marker) > 1)
        raise UserError(f"the marker {twice} is mapped twice", where=where)
    for part, text in (("context", file.context), ("question", file.question)):
        if not text:
            raise UserError(f"the part '{part}' is empty", where=where)
        if "" in text.split(" ") or "\n" in text:
            raise UserError(
                f"the tokens of the {part} must be on one line, one space apart", where=where
            )
    if marker_of(file.answer) < 0:
        raise UserError(f"the answer '{file.answer[:60]}' is not a marker", where=where)
    if file.answer not in known:
        raise UserError(f"the answer {file.answer} is not in the entity map", where=where)
    gaps = file.question.split(" ").count(PLACEHOLDER)
    if gaps != 1:
        raise UserError(f"the question has {gaps} placeholders instead of one", where=where)


def document_key(file: QuestionFile) -> str:
    """The id of a file's document: files with the same URL, context and map share it."""
    key = "\n".join([file.url, file.context, *(f"{m}:{n}" for m, n in file.entities)])
    return hashlib.sha1(key.encode()).hexdigest()


def to_document(file: QuestionFile) -> Document:
    names = dict(file.entities)
    entities = tuple(Entity(marker_of(m), n, "", (n,)) for m, n in file.entities)
    return Document(
        id=document_key(file),
        context=_text(file.context, names),
        entities=entities,
        url=file.url,
    )


def to_question(file: QuestionFile, document: Document) -> Question:
    names = dict(file.entities)
    query = _text(file.question, names | {PLACEHOLDER: names[file.answer]})
    return Question(file.sha1, document.id, query, marker_of(file.answer))


def from_point(document: Document, question: Question) -> QuestionFile:
    """The published form of a data point.

    The map holds all entities of the data point, in the order in which the document has them.
    """
    return QuestionFile(
        url=document.url or "",
        context=document.context.anonymised,
        question=question.query.anonymised,
        answer=f"{MARKER}{question.answer}",
        entities=tuple((f"{MARKER}{e.marker}", e.name) for e in document.entities),
    )


def _text(anonymised: str, names: dict[str, str]) -> Text:
    tokens = anonymised.split(" ")
    surfaces = [names.get(token, token) for token in tokens]
    return Text(tokens, surfaces, [int(Spacing.SPACE)] * len(tokens))
