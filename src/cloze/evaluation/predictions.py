"""Predictions: one Parquet file for each model and split, which is all that evaluation reads.

Each row is a question. Candidates are the markers of the stored corpus, best first, so that they
can be turned back into names. The file's metadata say what made it (model, corpus, split,
settings).

    with Writer(Path("attentive-cnn-valid.parquet"), about) as writer:
        for document, questions, rankings in answers(reader, corpus.read("valid")):
            for question, ranking in zip(questions, rankings, strict=True):
                writer.add(document, question, ranking)
"""

import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import Field, NonNegativeFloat

from cloze.answering import LANGUAGE_MODEL, Ranking
from cloze.corpus.shards import UNREADABLE
from cloze.corpus.statistics import frequency_ranks
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.files import whole_file
from cloze.shape import Shape
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
        ("why", pa.string()),  # the rule that answered, if any
        ("permuted_answers", pa.list_(pa.int32())),  # best marker under each additional permutation
        ("attention", pa.list_(pa.float16())),  # row after row, document_tokens wide; or null
    ]
)
# What an answer cost, only in the files of language models; null where there was no reply.
COSTS = pa.schema(
    [("seconds", pa.float32()), ("tokens_read", pa.int32()), ("tokens_written", pa.int32())]
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
    kind: str = "reader"  # or "baseline": tables and curves show them differently
    corpus_path: str = ""  # where the corpus was, so that the report finds its texts
    commit: str = ""
    made: str = ""  # when, ISO 8601
    seconds: float = 0.0  # how long answering took; set by the writer
    identity: str = ""  # a hash of all that the answers follow from, options included


class Writer:
    """Writes predictions as they come; the file gets its name only when it is complete."""

    def __init__(self, path: Path, about: About, *, timed: bool = True) -> None:
        """`timed=False` leaves the time out of the file: the same answers give the same bytes."""
        self.path = Path(path)
        self.about = about
        self._timed = timed
        self.count = 0
        self._rows: list[dict[str, Any]] = []
        self._document: Document | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        temporary = self._stack.enter_context(whole_file(self.path))
        self._schema = _schema_of(self.about)
        parquet = pq.ParquetWriter(temporary, self._schema, compression="zstd")
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
        with self._stack as stack:
            if problem[0] is not None:
                stack.__exit__(*problem)  # raises what became of it
                return
            self._write_group()
            self.seconds = time.perf_counter() - self._begun
            # The time is known only now; luckily, Parquet keeps metadata at the end of the file.
            told = self.seconds if self._timed else 0.0
            self._parquet.add_key_value_metadata(_metadata(self.about, told))

    def _write_group(self) -> None:
        columns = [_column(self._rows, kind) for kind in self._schema]
        self._parquet.write_table(pa.Table.from_arrays(columns, schema=self._schema))
        self._rows = []


def join(parts: Iterable[Path], path: Path, about: About, seconds: float = 0.0) -> None:
    """Join the parts of a run into one file; the times that they took are added to `seconds`."""
    with whole_file(path) as temporary:
        with pq.ParquetWriter(temporary, _schema_of(about), compression="zstd") as file:
            for part in parts:
                source, head = _open(part)
                with source:
                    file.write_table(_whole(source, part), row_group_size=ROWS_A_GROUP)
                seconds += head.get("seconds", 0.0)
            file.add_key_value_metadata(_metadata(about, seconds))


def _schema_of(about: About) -> pa.Schema:
    return pa.schema([*SCHEMA, *COSTS]) if about.kind == LANGUAGE_MODEL else SCHEMA


def _whole(source: pq.ParquetFile, part: Path) -> pa.Table:
    try:
        table = source.read()
        table.validate(full=True)
    except UNREADABLE as problem:
        fix = "remove it and run the same command again"
        raise UserError(f"cannot be read ({problem})", where=part, fix=fix) from None
    return table


def _metadata(about: About, seconds: float) -> dict[str, str]:
    head = {"format": FORMAT, "made_by": f"cloze-reader {__version__}"}
    head |= vars(about) | {"seconds": round(seconds, 3)}
    return {"cloze": json.dumps(head, ensure_ascii=False)}


def write(path: Path, about: About, answered: Iterable[tuple[Document, Question, Ranking]]) -> int:
    """Write a whole stream of answers; returns how many questions there were."""
    with Writer(path, about) as writer:
        for document, question, ranking in answered:
            writer.add(document, question, ranking)
    return writer.count


class Predictions:
    """A file of predictions, opened once: its columns are read once, its attention in parts."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._file, head = _open(self.path)
        self._format: int = head["format"]
        self.about = About(**{f.name: head[f.name] for f in fields(About) if f.name in head})

    @cached_property
    def columns(self) -> pa.Table:
        """Everything but the attention."""
        names = [name for name in SCHEMA.names if name != "attention"]
        try:
            table = self._file.read(columns=_columns(self._format)[:-1]).combine_chunks()
        except UNREADABLE as problem:
            raise UserError(f"cannot be read ({problem})", where=self.path) from None
        _check_values(table, self.path)
        if self._format == FORMAT:
            return table
        outside = pc.equal(table.column("note"), "outside")
        why = pc.if_else(outside, "", table.column("note"))
        table = table.append_column("outside", outside).append_column("why", why)
        return table.select(names)

    @cached_property
    def costs(self) -> dict[str, np.ndarray] | None:
        """The columns of `COSTS`, NaN where there was no reply; None if nobody counted."""
        if not set(COSTS.names) <= set(self._file.schema_arrow.names):
            return None
        try:
            table = self._file.read(columns=COSTS.names)
            return {
                name: table.column(name).cast(pa.float64()).to_numpy().astype(np.float64)
                for name in COSTS.names
            }
        except (pa.ArrowException, OSError) as problem:
            raise UserError(f"cannot be read ({problem})", where=self.path) from None

    def whole(self, column: str) -> np.ndarray:
        """A column that has one value for each question."""
        return np.asarray(self.columns.column(column).to_numpy())

    def flat(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """A column of lists: all values in one array, and where each list begins and ends."""
        lists = self.columns.column(column).combine_chunks()
        return np.asarray(lists.values), np.asarray(lists.offsets).astype(np.int64)

    def top(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The best candidates of each question and their scores, both [questions, k]; missing ones
        are -1 and 0."""
        (candidates, offsets), (scores, _) = self.flat("candidates"), self.flat("scores")
        best = np.full((len(offsets) - 1, k), -1, np.int32)
        points = np.zeros(best.shape, np.float32)
        for place in range(k):
            has = np.flatnonzero(np.diff(offsets) > place)
            best[has, place] = candidates[offsets[has] + place]
            points[has, place] = scores[offsets[has] + place]
        return best, points

    def attention(self, wanted: Collection[str]) -> Iterator[tuple[str, np.ndarray]]:
        """The id and attention [steps, document tokens] of each wanted question that has it."""
        ids, widths = self.whole("question_id"), self.whole("document_tokens")
        chosen = np.isin(ids.astype(str), list(wanted))
        for begin, lists in self._groups(chosen):
            flat, offsets = np.asarray(lists.values), np.asarray(lists.offsets)
            for row in np.flatnonzero(chosen[begin : begin + len(lists)]):
                if lists[row].is_valid:
                    weights = flat[offsets[row] : offsets[row + 1]].astype(np.float32)
                    if not len(weights) or len(weights) % max(widths[begin + row], 1):
                        what = f"the attention of {ids[begin + row]} is not as wide as its text"
                        raise UserError(what, where=self.path, fix=_AGAIN)
                    yield str(ids[begin + row]), weights.reshape(-1, widths[begin + row])

    @cached_property
    def attended(self) -> frozenset[str]:
        """The questions whose attention can be shown: uniform weights show nothing."""
        ids = self.whole("question_id")
        found: set[str] = set()
        for begin, lists in self._groups(np.ones(len(ids), bool)):
            kept = lists.is_valid().to_numpy(zero_copy_only=False)
            found.update(ids[begin : begin + len(lists)][kept])
        some = [weights for _, weights in self.attention(sorted(found)[:8])]
        # A text of one token is uniform too, but still gets a heat map.
        shows = any(np.ptp(weights) > 0 or weights.shape[1] == 1 for weights in some)
        return frozenset(found if shows else ())

    def _groups(self, chosen: np.ndarray) -> Iterator[tuple[int, pa.ListArray]]:
        """The attention of the row groups that hold chosen rows, and the first row of each."""
        begin = 0
        for group in range(self._file.num_row_groups):
            rows = self._file.metadata.row_group(group).num_rows
            if chosen[begin : begin + rows].any():
                yield begin, self._attention_of(group)
            begin += rows

    def _attention_of(self, group: int) -> pa.ListArray:
        try:
            column = self._file.read_row_group(group, columns=["attention"]).column(0)
            column.validate(full=True)
        except UNREADABLE as problem:
            raise UserError(f"cannot be read ({problem})", where=self.path, fix=_AGAIN) from None
        return column.combine_chunks()


def _open(path: Path) -> tuple[pq.ParquetFile, dict[str, Any]]:
    """The file, and what its metadata say."""
    if not path.is_file():
        raise UserError("no such file of predictions", where=path, fix="make it: cloze evaluate")
    try:
        file = pq.ParquetFile(path)
    except UNREADABLE as problem:
        raise UserError(f"is not a readable Parquet file ({problem})", where=path) from None
    metadata = file.metadata.metadata or {}
    if b"cloze" not in metadata:
        raise UserError("is not a file of predictions", where=path, fix="make it: cloze evaluate")
    try:
        head = json.loads(metadata[b"cloze"])
    except (ValueError, RecursionError) as problem:
        raise UserError(f"its metadata are not valid JSON ({problem})", where=path) from None
    number = head.get("format") if isinstance(head, dict) else None
    if number not in READABLE:
        raise UserError(
            f"format {number} is not one that this version reads (1 and {FORMAT})",
            where=path,
            fix=_AGAIN,
        )
    _Head.check(head, where=path, fix=_AGAIN)
    for name in _columns(number):
        place = file.schema_arrow.get_field_index(name)
        kind = pa.string() if name == "note" else SCHEMA.field(name).type
        if place < 0 or not file.schema_arrow.field(place).type.equals(kind):
            raise UserError(f"the column '{name}' is not one of {kind}", where=path, fix=_AGAIN)
    return file, head


_AGAIN = "make it again: cloze evaluate"


class _Head(Shape):
    """`About`, as JSON holds it."""

    model: str
    corpus: str
    corpus_fingerprint: str
    split: str
    settings: dict[str, Any] = Field(default_factory=dict)
    kind: str = "reader"
    corpus_path: str = ""
    commit: str = ""
    made: str = ""
    seconds: NonNegativeFloat = 0.0
    identity: str = ""


def _columns(number: int) -> list[str]:
    """What a file of this format has, the attention last."""
    if number == FORMAT:
        return list(SCHEMA.names)
    return [*(n for n in SCHEMA.names[:-1] if n not in ("outside", "why")), "note", "attention"]


def _check_values(table: pa.Table, path: Path) -> None:
    """Numbers that an evaluation writes: what is computed from them then holds."""
    for name in table.column_names:
        column = table.column(name)
        values = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        odd = ""
        if values.null_count or (column.null_count and name != "permuted_answers"):
            odd = "has gaps"
        elif pa.types.is_integer(values.type):
            least = {"permuted_answers": -1, "frequency_rank": 1}.get(name, 0)
            if len(values) and pc.min(values).as_py() < least:
                odd = f"has numbers below {least}"
        if name == "permuted_answers" and _ragged(column):
            odd = "is ragged"
        if odd:
            raise UserError(f"the column '{name}' {odd}", where=path, fix=_AGAIN)


def _ragged(lists: pa.ChunkedArray) -> bool:
    return not lists.null_count and len(pc.unique(pc.list_value_length(lists))) > 1


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
        **{name: getattr(ranking.cost, name, None) for name in COSTS.names},
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
