"""The corpus directory: documents and questions in Parquet, each stored once.

    corpus.json                     the manifest: format, counts, options, rejects, file hashes
    README.md                       the dataset card, for people
    documents/train-00000.parquet   one row per document
    questions/train-00000.parquet   one row per question, in the order of the documents

Shard k of the questions belongs to shard k of the documents, so reading a split joins the two in
one pass and holds one batch of documents in memory.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field, NonNegativeInt

from cloze.corpus.shards import AGAIN, DOCUMENTS, QUESTIONS, batches
from cloze.document import Document, Entity, Point, Question
from cloze.errors import UserError
from cloze.files import described, read_json, verify, whole_file, write_json
from cloze.shape import Shape
from cloze.text import Text
from cloze.version import __version__

FORMAT = 1
MANIFEST = "corpus.json"
ROWS_A_GROUP = 256  # documents in memory while streaming: about 5 MB at CNN lengths


def write_shard(directory: Path, split: str, number: int, points: Iterable[Point]) -> int:
    """Write a pair of shards; the same points give the same bytes. Returns the document count."""
    paths = shard_paths(directory, split, number)
    count = 0
    with whole_file(paths[0]) as d, whole_file(paths[1]) as q:
        with pq.ParquetWriter(d, DOCUMENTS, compression="zstd") as documents:
            with pq.ParquetWriter(q, QUESTIONS, compression="zstd") as questions:
                for group in _groups(points):
                    rows = [_document_row(document) for document, _ in group]
                    documents.write_table(pa.Table.from_pylist(rows, DOCUMENTS))
                    rows = [_question_row(question) for _, asked in group for question in asked]
                    questions.write_table(pa.Table.from_pylist(rows, QUESTIONS))
                    count += len(group)
    return count


def shard_paths(directory: Path, split: str, number: int) -> tuple[Path, Path]:
    name = f"{split}-{number:05d}.parquet"
    return Path(directory) / "documents" / name, Path(directory) / "questions" / name


def write_manifest(
    directory: Path,
    *,
    name: str,
    options: dict[str, Any],
    seed: int = 0,
    rejects: dict[str, dict[str, int]] | None = None,
) -> "Corpus":
    """Count and hash the shards in the directory, write `corpus.json` last of all, and return the
    opened corpus.

    `rejects` counts, for each split, the stories or questions left out, by reason.
    """
    splits: dict[str, dict[str, int]] = {}
    files: dict[str, dict[str, Any]] = {}
    for kind in ("documents", "questions"):
        for path in sorted((directory / kind).glob("*.parquet")):
            rows = pq.read_metadata(path).num_rows
            split = path.name.rsplit("-", 1)[0]
            counts = splits.setdefault(split, {"documents": 0, "questions": 0})
            counts[kind] += rows
            files[f"{kind}/{path.name}"] = {"rows": rows, **described(path)}
    manifest = {
        "format": FORMAT,
        "name": name,
        "made_by": f"cloze-reader {__version__}",
        "seed": seed,
        "options": options,
        "splits": splits,
        "rejects": rejects or {},
        "files": files,
    }
    write_json(directory / MANIFEST, manifest)
    return Corpus(directory, manifest)


class Corpus:
    """A corpus directory opened for reading; opening checks every file against the manifest."""

    def __init__(self, path: Path, manifest: dict[str, Any], *, checked: bool = True) -> None:
        self.path = path
        self.manifest = manifest
        self._checked = checked  # all files, when it was opened

    @classmethod
    def open(cls, path: Path | str, *, check_files: bool = True) -> "Corpus":
        """`check_files=False`: `read` checks each shard when it comes to it; whoever opens a file
        without `read` calls `check_shard`."""
        path = Path(path)
        if not path.is_dir():
            raise UserError("no such corpus folder", where=path)
        if not (path / MANIFEST).is_file():
            what = "is empty" if not any(path.iterdir()) else f"has no {MANIFEST}"
            raise UserError(
                f"this folder {what}", where=path, fix="make a corpus with cloze newsroom or build"
            )
        manifest = read_json(path / MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            found = manifest.get("format") if isinstance(manifest, dict) else None
            raise UserError(
                f"corpus format {found} is not the format {FORMAT} that this version reads",
                where=path / MANIFEST,
                fix="build the corpus again",
            )
        _check_manifest(manifest, path / MANIFEST)
        corpus = cls(path, manifest, checked=check_files)
        if check_files:
            corpus._check(*manifest["files"])
        return corpus

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @property
    def language(self) -> str:
        """The code of the language; only stored if it is not English."""
        return str(self.manifest["options"].get("language", "en"))

    @property
    def splits(self) -> list[str]:
        order = {"train": 0, "valid": 1, "test": 2}
        return sorted(self.manifest["splits"], key=lambda s: (order.get(s, 3), s))

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change whenever a file of the corpus does."""
        hashes = "".join(f["sha256"] for _, f in sorted(self.manifest["files"].items()))
        return hashlib.sha256(hashes.encode()).hexdigest()[:12]

    def count(self, split: str, kind: str = "questions") -> int:
        self._check_split(split)
        return int(self.manifest["splits"][split][kind])

    def read(self, split: str, first: int = 0) -> Iterator[Point]:
        """Each document of the split with its questions, streamed in the order of the files, from
        the shard at position `first`."""
        for documents, questions in self.shards(split)[first:]:
            if not self._checked:
                self.check_shard(documents, questions)
            asked = _stream_questions(questions)
            ahead = next(asked, None)
            for document in _stream_documents(documents):
                own: list[Question] = []
                while ahead is not None and ahead.document_id == document.id:
                    own.append(ahead)
                    ahead = next(asked, None)
                yield document, own
            if ahead is not None:
                raise UserError(
                    f"question {ahead.id} is not in the order of the documents", where=questions
                )

    def shards(self, split: str) -> list[tuple[Path, Path]]:
        """The pairs of Parquet files of a split, for code that reads whole columns."""
        self._check_split(split)
        numbers = sorted(
            int(name.rsplit("-", 1)[1].removesuffix(".parquet"))
            for name in self.manifest["files"]
            if name.startswith(f"documents/{split}-")
        )
        return [shard_paths(self.path, split, number) for number in numbers]

    def sizes(self, split: str) -> list[tuple[int, int]]:
        """How many documents and questions each shard of a split has."""
        files = self.manifest["files"]
        names = [documents.name for documents, _ in self.shards(split)]
        return [(files[f"documents/{n}"]["rows"], files[f"questions/{n}"]["rows"]) for n in names]

    def check_shard(self, documents: Path, questions: Path) -> None:
        """Compare a pair of files with the manifest."""
        self._check(*(path.relative_to(self.path).as_posix() for path in (documents, questions)))

    def _check(self, *names: str) -> None:
        for name in names:
            verify(self.path / name, self.manifest["files"][name], fix=AGAIN)

    def _check_split(self, split: str) -> None:
        if split not in self.manifest["splits"]:
            raise UserError(
                f"there is no split '{split}'",
                where=self.path,
                fix=f"it has {', '.join(self.splits) or 'none'}",
            )


class _File(Shape):
    rows: NonNegativeInt
    bytes: NonNegativeInt
    sha256: str


class _Counts(Shape):
    documents: NonNegativeInt
    questions: NonNegativeInt


class _Manifest(Shape):
    name: str
    options: dict[str, Any]
    splits: dict[str, _Counts]
    files: dict[str, _File]
    rejects: dict[str, dict[str, NonNegativeInt]] = Field(default_factory=dict)


def _check_manifest(manifest: Any, where: Path) -> None:
    """Every shard of documents has its shard of questions, and the counts are those of the files:
    what is read later is what the manifest says."""
    _Manifest.check(manifest, where=where, fix=AGAIN)
    shards: dict[str, set[str]] = {"documents": set(), "questions": set()}
    rows: Counter[tuple[str, str]] = Counter()
    for name, file in manifest["files"].items():
        found = _SHARD.fullmatch(name)
        if found is None:
            raise UserError(f"names a file that no corpus has: '{name}'", where=where, fix=AGAIN)
        kind, shard, split = found.groups()
        shards[kind].add(shard)
        rows[split, kind] += file["rows"]
    if shards["documents"] != shards["questions"]:
        odd = min(shards["documents"] ^ shards["questions"])
        raise UserError(f"names only one of the two files {odd}", where=where, fix=AGAIN)
    counts = {(s, k): manifest["splits"][s][k] for s in manifest["splits"] for k in shards}
    if counts != dict(rows):
        raise UserError("its splits are not those of its files", where=where, fix=AGAIN)


_SHARD = re.compile(r"(documents|questions)/(([^/\\]+)-[0-9]{5,}\.parquet)")


def _groups(points: Iterable[Point]) -> Iterator[list[Point]]:
    group: list[Point] = []
    for point in points:
        group.append(point)
        if len(group) == ROWS_A_GROUP:
            yield group
            group = []
    if group:
        yield group


def _text_row(text: Text) -> dict[str, Any]:
    return {"tokens": text.anonymised, "surfaces": text.surfaces, "spacing": text.spacing}


def _text(row: dict[str, Any]) -> Text:
    tokens = row["tokens"].split(" ") if row["tokens"] else []
    return Text(tokens, row["surfaces"], row["spacing"])


def _document_row(document: Document) -> dict[str, Any]:
    entities = [
        {"marker": e.marker, "name": e.name, "type": e.type, "surfaces": e.surfaces}
        for e in document.entities
    ]
    head = {"id": document.id, "url": document.url, "date": document.date}
    return head | _text_row(document.context) | {"entities": entities}


def _question_row(question: Question) -> dict[str, Any]:
    head = {"id": question.id, "document_id": question.document_id, "answer": question.answer}
    return head | _text_row(question.query)


def _stream_documents(path: Path) -> Iterator[Document]:
    for row in _rows(path):
        entities = tuple(
            Entity(e["marker"], e["name"], e["type"], tuple(e["surfaces"])) for e in row["entities"]
        )
        yield Document(row["id"], _text(row), entities, row["url"], row["date"])


def _stream_questions(path: Path) -> Iterator[Question]:
    for row in _rows(path):
        yield Question(row["id"], row["document_id"], _text(row), row["answer"])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for batch in batches(path, rows=64):
        yield from batch.to_pylist()
