"""Predictions: one Parquet file a model and split, the only thing that the evaluation reads.

A row is a question. Candidates are the markers of the stored corpus, best first, so that they can
be turned back into names. What made the file (model, corpus, split, settings) stands in the
file's own metadata.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloze import __version__
from cloze.answering import Ranking
from cloze.corpus.document import Document, Question
from cloze.errors import UserError
from cloze.files import whole_file

FORMAT = 1
SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("document_id", pa.string()),
        ("answer", pa.int32()),  # the right marker
        ("candidates", pa.list_(pa.int32())),  # best first
        ("scores", pa.list_(pa.float32())),
        ("document_tokens", pa.int32()),
        ("question_tokens", pa.int32()),
        ("frequency_rank", pa.int32()),  # 1: the answer is its document's most frequent entity
        ("note", pa.string()),  # the rule that answered, where there is one
        ("attention", pa.list_(pa.float16())),  # row after row, document_tokens wide; or null
    ]
)


@dataclass(frozen=True)
class About:
    """What made a file of predictions."""

    model: str  # as shown in tables: "Attentive Reader", "Word distance"
    corpus: str
    corpus_fingerprint: str
    split: str
    settings: dict[str, Any] = field(default_factory=dict)


def write(
    path: Path, about: About, answered: Iterable[tuple[Document, Question, Ranking]]
) -> int:
    """Write the predictions as they come; returns how many questions there were."""
    head = {"format": FORMAT, "made_by": f"cloze-reader {__version__}", **vars(about)}
    schema = SCHEMA.with_metadata({"cloze": json.dumps(head)})
    count = 0
    with whole_file(path) as temporary:
        with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            rows: list[dict[str, Any]] = []
            for document, question, ranking in answered:
                rows.append(_row(document, question, ranking))
                count += 1
                if len(rows) == 1000:
                    writer.write_table(pa.Table.from_pylist(rows, schema))
                    rows = []
            writer.write_table(pa.Table.from_pylist(rows, schema))
    return count


def about(path: Path) -> About:
    head = _head(path)
    return About(**{key: head[key] for key in About.__dataclass_fields__})


def read(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The whole table, or some of its columns (leave out `attention` where it is not needed)."""
    _head(path)
    return pq.read_table(path, columns=columns)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Row by row, `attention` as an array of [steps, document_tokens] or None."""
    _head(path)
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=64):
            for row in batch.to_pylist():
                if row["attention"] is not None:
                    flat = np.asarray(row["attention"], np.float32)
                    row["attention"] = flat.reshape(-1, row["document_tokens"])
                yield row


def _row(document: Document, question: Question, ranking: Ranking) -> dict[str, Any]:
    attention = ranking.attention
    return {
        "question_id": question.id,
        "document_id": document.id,
        "answer": question.answer,
        "candidates": ranking.candidates,
        "scores": ranking.scores,
        "document_tokens": len(document.context),
        "question_tokens": len(question.query),
        "frequency_rank": frequency_rank(document, question.answer),
        "note": ranking.note,
        "attention": None if attention is None else attention.astype(np.float16).ravel(),
    }


def frequency_rank(document: Document, marker: int) -> int:
    """The place of an entity when they are ordered by frequency, ties by first mention."""
    counts: dict[str, int] = {}
    for token in document.context.tokens:
        if token.startswith("@entity"):
            counts[token] = counts.get(token, 0) + 1
    order = sorted(counts, key=lambda token: -counts[token])  # stable: first mention wins ties
    wanted = f"@entity{marker}"
    return order.index(wanted) + 1 if wanted in counts else len(order) + 1


def _head(path: Path) -> dict[str, Any]:
    if not Path(path).is_file():
        raise UserError("no such file of predictions", where=path, fix="make it: cloze evaluate")
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowInvalid, OSError) as problem:
        raise UserError(f"is not a readable Parquet file ({problem})", where=path) from None
    if b"cloze" not in metadata:
        raise UserError("is not a file of predictions", where=path, fix="make it: cloze evaluate")
    head: dict[str, Any] = json.loads(metadata[b"cloze"])
    return head
