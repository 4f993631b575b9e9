"""Many questions about many articles: JSON lines in, a line of answers out for each.

The lines are answered a chunk at a time, and a finished chunk is kept beside the output, under a
name that holds a hash of all it was made from. So a killed run continues where it stopped and ends
with the same bytes. Every question is prepared by itself, as `cloze ask` prepares it: the answer
does not depend on what else is asked.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze.answering import Answerer, Ranking, answers
from cloze.ask.article import Asked, Prepared, check_article, prepare_asked
from cloze.ask.bulk_line import AskedLine, read_line
from cloze.ask.bulk_told import Counts, join, told_of
from cloze.ask.tagging import Remembering, Tagger
from cloze.builder.work_folder import FINISHED, check_free, work_folder
from cloze.compressed import lines
from cloze.document import Point
from cloze.errors import UserError
from cloze.files import check_apart, whole_file
from cloze.names.language import NEWEST_RULES
from cloze.names.spans import StorySpans
from cloze.progress import bar
from cloze.sealed import sealed
from cloze.version import __version__

CHUNK = 16  # lines: the most that a killed run has to do again

Line = AskedLine | UserError


class Bulk:
    """An answerer with all that is needed to ask it about raw text."""

    def __init__(
        self,
        answerer: Answerer,
        tag: Tagger,
        *,
        pipeline: str | None = None,
        language: str = "en",
        rules: int = NEWEST_RULES,
    ) -> None:
        """`pipeline` names the tagger: work that was done with another is not continued."""
        self.answerer = answerer
        self._tag = Remembering(tag).tag
        self._pipeline, self._language, self._rules = pipeline, language, rules

    def run(self, source: Path, out: Path, *, overwrite: bool = False) -> Counts:
        """Answer the questions in each line of `source`, and write the answers to `out`."""
        check_apart(out, source)
        if not overwrite:
            check_free(out)
        total = sum(1 for _ in lines(source))
        with work_folder(out, self._identity()) as work, bar() as shown:
            task = shown.add_task(self.answerer.name, total=total, unit="lines")
            parts = []
            for number, chunk in enumerate(_chunks(lines(source))):
                parts.append(self._answer_chunk(work / FINISHED, number, chunk, source.parent))
                shown.advance(task, len(chunk))
            return join(parts, out)

    def _identity(self) -> dict[str, Any]:
        names = {"pipeline": self._pipeline, "language": self._language, "rules": self._rules}
        return names | {"settings": dict(self.answerer.settings), "version": __version__}

    def _answer_chunk(self, folder: Path, number: int, chunk: list[bytes], at: Path) -> Path:
        read = [self._read(line, at) for line in chunk]
        path = folder / f"{number:06d}-{_digest(chunk, read)}.jsonl"
        if not path.is_file():
            told = enumerate(self.answer(read), number * CHUNK + 1)
            texts = [json.dumps({"line": k} | one, ensure_ascii=False) for k, one in told]
            with whole_file(path) as temporary:
                temporary.write_bytes(sealed("".join(f"{text}\n" for text in texts).encode()))
        return path

    def _read(self, line: bytes, folder: Path) -> Line:
        try:
            read = read_line(line, folder)
            check_article(read.article, self._language)
        except UserError as problem:
            return problem
        return read

    def answer(self, read: Sequence[Line]) -> list[dict[str, Any]]:
        """What is told of each line."""
        told: list[dict[str, Any]] = [
            {"rejected": str(line)}
            if isinstance(line, UserError)
            else {"id": line.id, "answers": []}
            for line in read
        ]
        posed = [
            (k, line, question)
            for k, line in enumerate(read)
            if not isinstance(line, UserError)
            for question in line.questions
        ]
        prepared = self._prepare([(line, question) for _, line, question in posed])
        outcomes = zip(posed, prepared, self._rank(prepared), strict=True)
        for (k, _, question), ready, ranking in outcomes:
            told[k]["answers"].append({"question": question} | told_of(ready, ranking))
        return told

    def _prepare(self, posed: Sequence[tuple[AskedLine, str]]) -> list[Prepared | UserError]:
        asked = [self._asked(line, question) for line, question in posed]
        stories = [s for one in asked if isinstance(one, Asked) for s in one.to_tag]
        spans = iter(self._tag(stories) if stories else [])
        return [
            _prepared(one, [next(spans) for _ in one.to_tag]) if isinstance(one, Asked) else one
            for one in asked
        ]

    def _asked(self, line: AskedLine, question: str) -> Asked | UserError:
        try:
            return Asked.of(line.article, line.highlights, question, self._language, self._rules)
        except UserError as problem:
            return problem

    def _rank(self, prepared: Sequence[Prepared | UserError]) -> list[Ranking | UserError]:
        """All together; if the answerer refuses a question, each by itself."""
        points = [_point(one) for one in prepared if isinstance(one, Prepared)]
        try:
            said: list[Ranking | UserError] = [*self._rankings(points)]
        except UserError:
            said = [self._alone(point) for point in points]
        rankings = iter(said)
        return [next(rankings) if isinstance(one, Prepared) else one for one in prepared]

    def _alone(self, point: Point) -> Ranking | UserError:
        try:
            return next(self._rankings([point]))
        except UserError as problem:
            return problem

    def _rankings(self, points: Sequence[Point]) -> Iterator[Ranking]:
        return (ranking for _, _, (ranking,) in answers(self.answerer, points))


def _prepared(asked: Asked, spans: Sequence[StorySpans]) -> Prepared | UserError:
    try:
        prepared = prepare_asked(asked, spans)
    except UserError as problem:
        return problem
    if not prepared.document.candidates():
        return UserError("no names were found in the article")
    return prepared


def _point(prepared: Prepared) -> Point:
    assert prepared.question is not None
    return prepared.document, [prepared.question]


def _chunks(every: Iterable[bytes]) -> Iterator[list[bytes]]:
    left = iter(every)
    while chunk := list(itertools.islice(left, CHUNK)):
        yield chunk


def _digest(chunk: Sequence[bytes], read: Sequence[Line]) -> str:
    """Of all that the answers depend on: the lines, and the files whose paths they give."""
    digest = hashlib.sha256()
    for line, found in zip(chunk, read, strict=True):
        content = str(found).encode() if isinstance(found, UserError) else found.content
        for part in (line, content):
            digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]
