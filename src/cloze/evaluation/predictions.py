"""Predictions: one Parquet file a model and split, the only thing that the evaluation reads.

A row is a question. Candidates are the markers of the stored corpus, best first, so that they can
be turned back into names. What made the file (model, corpus, split, settings) stands in the
file's own metadata.

    with Writer(Path("attentive-cnn-valid.parquet"), about) as writer:
        for document, question, ranking in reader.answer_all(...):
            writer.add(document, question, ranking)
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cloze.answering import Ranking
from cloze.corpus.statistics import frequency_ranks
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.files import whole_file
from cloze.version import __version__

FORMAT = 2
READABLE = (1, 2)  # format 1 had one column, `note`, for both `outside` and `why`
SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("document_id", pa.string()),
        ("answer", pa.int32()),  # the right marker
        ("candidates", pa.list_(pa.int32())),  # best first
        ("scores", pa.list_(pa.float32())),
        ("document_tokens", pa.int32()),
        ("question_tokens", pa.int32()),
        ("entities", pa.int32()),  # distinct markers in the document
        ("frequency_rank", pa.int32()),  # 1: the answer is its document's most frequent entity
        ("outside", pa.bool_()),  # some word seemed likelier than every candidate
        ("why", pa.string()),  # the rule that answered, where there is one
        ("permuted_answers", pa.list_(pa.int32())),  # best marker under each further permutation
        ("attention", pa.list_(pa.float16())),  # row after row, document_tokens wide; or null
    ]
)
ROWS_A_GROUP = 512


@dataclass(frozen=True)
class About:
    """What made a file of predictions."""

    model: str  # as shown in tables: "Attentive Reader", "Word distance model"
    corpus: str
    corpus_fingerprint: str
    split: str
    settings: dict[str, Any] = field(default_factory=dict)
    kind: str = "reader"  # or "baseline": tables and curves draw the two apart
    corpus_path: str = ""  # where the corpus stood, so that the report finds its texts
    commit: str = ""
    made: str = ""  # when, ISO 8601
    seconds: float = 0.0  # how long the answering took; set by the writer


class Writer:
    """Writes predictions as they come; the file appears under its name when it is whole."""

    def __init__(self, path: Path, about: About) -> None:
        self.path = Path(path)
        self.about = about
        self.count = 0
        self._rows: list[dict[str, Any]] = []
        self._document: Document | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        temporary = self._stack.enter_context(whole_file(self.path))
        parquet = pq.ParquetWriter(temporary, SCHEMA, compression="zstd")
        self._parquet = self._stack.enter_context(parquet)
        self._begun = time.perf_counter()
        return self

    def add(
        self,
        document: Document,
        question: Question,
        ranking: Ranking,
        permuted_answers: Sequence[int] | None = None,
    ) -> None:
        if document is not self._document:
            self._document, self._ranks = document, frequency_ranks(document)
        row = _row(document, question, ranking, self._ranks)
        self._rows.append(row | {"permuted_answers": permuted_answers})
        self.count += 1
        if len(self._rows) == ROWS_A_GROUP:
            self._write_group()

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is None:
            self._write_group()
            self.seconds = time.perf_counter() - self._begun
            head = {"format": FORMAT, "made_by": f"cloze-reader {__version__}"}
            head |= vars(self.about) | {"seconds": round(self.seconds, 3)}
            # The time is known only now, and the metadata stands at the end of a Parquet file.
            self._parquet.add_key_value_metadata({"cloze": json.dumps(head, ensure_ascii=False)})
        self._stack.__exit__(*problem)

    def _write_group(self) -> None:
        columns = [_column(self._rows, kind) for kind in SCHEMA]
        self._parquet.write_table(pa.Table.from_arrays(columns, schema=SCHEMA))
        self._rows = []


def write(path: Path, about: About, answered: Iterable[tuple[Document, Question, Ranking]]) -> int:
    """Write a whole stream of answers; returns how many questions there were."""
    with Writer(path, about) as writer:
        for document, question, ranking in answered:
            writer.add(document, question, ranking)
    return writer.count


def about(path: Path) -> About:
    head = _head(path)
    return About(**{f.name: head[f.name] for f in fields(About) if f.name in head})


def read(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The whole table, or some of its columns (leave out `attention` where it is not needed)."""
    if _head(path)["format"] == FORMAT:
        return pq.read_table(path, columns=columns)
    wanted = SCHEMA.names if columns is None else columns
    table = pq.read_table(path, columns=[*dict.fromkeys(map(_name_in_format_1, wanted))])
    if "note" in table.column_names:
        note = table.column("note")
        outside = pc.equal(note, "outside")
        table = table.append_column("outside", outside)
        table = table.append_column("why", pc.if_else(outside, "", note))
    return table.select(wanted)


def _name_in_format_1(column: str) -> str:
    return "note" if column in ("outside", "why") else column


def attention(path: Path, wanted: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    """For each wanted question that has one, its id and attention [steps, document tokens]."""
    _head(path)
    columns = ["question_id", "document_tokens", "attention"]
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_A_GROUP, columns=columns):
            weights = batch.column("attention")
            flat, offsets = weights.values.to_numpy(zero_copy_only=False), weights.offsets
            for row, question in enumerate(batch.column("question_id").to_pylist()):
                if question in wanted and weights[row].is_valid:
                    begin, end = offsets[row].as_py(), offsets[row + 1].as_py()
                    width = batch.column("document_tokens")[row].as_py()
                    yield question, flat[begin:end].astype(np.float32).reshape(-1, width)


def has_attention(path: Path) -> bool:
    table = pq.read_table(path, columns=["attention"])
    return bool(table.column(0).null_count < table.num_rows)


def _row(
    document: Document, question: Question, ranking: Ranking, ranks: dict[int, int]
) -> dict[str, Any]:
    weights = ranking.attention
    return {
        "question_id": question.id,
        "document_id": document.id,
        "answer": question.answer,
        "candidates": ranking.candidates,
        "scores": ranking.scores,
        "document_tokens": len(document.context),
        "question_tokens": len(question.query),
        "entities": len(ranks),
        "frequency_rank": ranks.get(question.answer, len(ranks) + 1),
        "outside": ranking.outside,
        "why": ranking.why,
        "attention": None if weights is None else weights.astype(np.float16).ravel(),
    }


def _column(rows: list[dict[str, Any]], kind: pa.Field) -> pa.Array:
    values = [row[kind.name] for row in rows]
    if kind.name not in ("candidates", "scores", "attention"):
        return pa.array(values, kind.type)
    # Straight from the arrays: a list of Python numbers for each heat map would take minutes.
    lengths = [0 if value is None else len(value) for value in values]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    dtype = kind.type.value_type.to_pandas_dtype()
    flat = np.concatenate([np.zeros(0, dtype), *(v for v in values if v is not None)])
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.ListArray.from_arrays(offsets, flat.astype(dtype), kind.type, mask=missing)


def _head(path: Path) -> dict[str, Any]:
    if not Path(path).is_file():
        raise UserError("no such file of predictions", where=path, fix="make it: cloze evaluate")
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (pa.ArrowInvalid, OSError) as problem:
        raise UserError(f"is not a readable Parquet file ({problem})", where=path) from None
    if b"cloze" not in metadata:
        raise UserError("is not a file of predictions", where=path, fix="make it: cloze evaluate")
    head: dict[str, Any] = json.loads(metadata[b"cloze"])
    if head.get("format") not in READABLE:
        raise UserError(
            f"format {head.get('format')} is not one that this version reads (1 and {FORMAT})",
            where=path,
            fix="make it again: cloze evaluate",
        )
    return head
