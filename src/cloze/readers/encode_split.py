"""Encode a split of a corpus, whole columns at once."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.files import described, whole_directory, write_json
from cloze.progress import bar
from cloze.randomness import key_of
from cloze.readers.columns import TokenColumns, token_columns
from cloze.readers.encoded import DTYPES, FORMAT, IDS, META, STARTS, EncodedSplit
from cloze.readers.encoder import Encoder, check_pool
from cloze.readers.growing import GrowingArray, growing
from cloze.readers.type_ids import TypeIds, starts
from cloze.readers.vocabulary import FIRST_MARKER


def encode_split(corpus: Corpus, split: str, encoder: Encoder, directory: Path) -> EncodedSplit:
    """Encode a split into a directory and open it."""
    total = corpus.count(split, "documents") + corpus.count(split)
    with whole_directory(directory, overwrite=True) as temporary, bar() as shown:
        task = shown.add_task(f"encoding {split}", total=total, unit="texts")
        counts = write_arrays(
            corpus.shards(split), encoder, temporary, lambda count: shown.advance(task, count)
        )
        write_meta(temporary, corpus, split, encoder, counts)
    return EncodedSplit.open(directory, encoder)


def write_arrays(
    shards: Iterable[tuple[Path, Path]],
    encoder: Encoder,
    directory: Path,
    advance: Callable[[int], object],
) -> tuple[int, int]:
    """The arrays and the ids of some shards; returns how many documents and questions they have."""
    with new_arrays(directory, encoder) as write:
        document_ids: list[str] = []
        question_ids: list[str] = []
        for documents, questions in shards:
            first = len(document_ids)
            entities = _Entities()
            for columns in token_columns(documents, "id", "entities"):
                ids = columns.rows.column("id").to_pylist()
                rows = np.arange(len(ids)) + len(document_ids) - first
                counts = entities.add(rows, columns.rows.column("entities"))
                check_pool(int(counts.max()), encoder, ids[int(counts.argmax())])
                tokens, counts = _token_ids(columns, rows, entities, encoder, ids, "document")
                _append(write, "document", tokens, counts, columns.lengths)
                document_ids += ids
                advance(len(ids))
            write["document_entities"].append(entities.counts())
            known = pa.array(document_ids[first:], pa.string())
            for columns in token_columns(questions, "id", "document_id", "answer"):
                ids = columns.rows.column("id").to_pylist()
                rows = _owners(columns.rows.column("document_id"), known, ids)
                tokens, counts = _token_ids(columns, rows, entities, encoder, ids, "question")
                answers = columns.rows.column("answer").to_numpy(zero_copy_only=False)
                local = entities.local(rows, answers)
                if (local < 0).any():
                    k = int(np.argmax(local < 0))
                    raise UserError(
                        f"the answer @entity{answers[k]} is not among the document's entities",
                        where=f"question {ids[k]}",
                    )
                _append(write, "question", tokens, counts, columns.lengths)
                write["question_document"].append(rows + first)
                write["question_answer"].append(local)
                write["question_keys"].append(np.fromiter(map(key_of, ids), np.uint64, len(ids)))
                question_ids += ids
                advance(len(ids))
    return write_ids(directory, document_ids, question_ids)


@contextmanager
def new_arrays(directory: Path, encoder: Encoder) -> Iterator[dict[str, GrowingArray]]:
    """All arrays of a split, to be appended to."""
    dtypes = DTYPES | ({} if encoder.whole else STARTS)
    with ExitStack() as stack:
        write = {n: stack.enter_context(growing(directory, n, d)) for n, d in dtypes.items()}
        write["document_offsets"].append(np.zeros(1, np.int64))
        write["question_offsets"].append(np.zeros(1, np.int64))
        yield write


def write_ids(directory: Path, documents: list[str], questions: list[str]) -> tuple[int, int]:
    both = {"documents": documents, "questions": questions}
    (directory / IDS).write_text(json.dumps(both), encoding="utf-8")
    return len(documents), len(questions)


def write_meta(
    directory: Path, corpus: Corpus, split: str, encoder: Encoder, counts: tuple[int, int]
) -> None:
    """What the split is, once all its files are there."""
    meta = {
        "format": FORMAT,
        "corpus": corpus.name,
        "corpus_fingerprint": corpus.fingerprint,
        "split": split,
        "documents": counts[0],
        "questions": counts[1],
        "vocabulary_sha256": encoder.sha256,
        "vocabulary_size": len(encoder),
        **({} if encoder.whole else {"pieces": True}),
        "files": {file.name: described(file) for file in sorted(directory.iterdir())},
    }
    write_json(directory / META, meta)


def _append(
    write: dict[str, GrowingArray],
    kind: str,
    tokens: np.ndarray,
    counts: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """Append texts of `lengths` tokens, where each token has `counts` ids."""
    ends = np.concatenate([[0], np.cumsum(counts)])[np.cumsum(lengths)]
    write[f"{kind}_tokens"].append(tokens)
    write[f"{kind}_offsets"].append_lengths(np.diff(ends, prepend=0))
    if f"{kind}_starts" in write:
        write[f"{kind}_starts"].append(starts(counts))


def _token_ids(
    columns: TokenColumns,
    rows: np.ndarray,
    entities: "_Entities",
    encoder: Encoder,
    ids: list[str],
    kind: str,
) -> tuple[np.ndarray, np.ndarray]:
    """The ids of all tokens, and how many each has."""
    if not columns.lengths.all():
        empty = ids[int(np.argmin(columns.lengths))]
        raise UserError("has no tokens; there is nothing to read", where=f"{kind} {empty}")
    tokens, counts = TypeIds.of(columns.types, encoder).tokens(columns.codes)
    place = np.flatnonzero(tokens < 0)
    row = np.repeat(np.repeat(np.arange(len(rows)), columns.lengths), counts)[place]
    local = entities.local(rows[row], -1 - tokens[place])
    if (local < 0).any():
        k = int(np.argmax(local < 0))
        raise UserError(
            f"'@entity{-1 - tokens[place[k]]}' is not among the document's entities",
            where=f"{kind} {ids[row[k]]}",
        )
    tokens[place] = FIRST_MARKER + local
    return tokens, counts


class _Entities:
    """Which local entity a marker of a document is, looked up for many tokens at once."""

    STRIDE = 1 << 31  # more than any marker of the corpus, an int32

    def __init__(self) -> None:
        self._counts: list[np.ndarray] = []
        self._keys = np.zeros(0, np.int64)  # sorted: row * STRIDE + marker
        self._local = np.zeros(0, np.int64)

    def add(self, rows: np.ndarray, lists: pa.ListArray) -> np.ndarray:
        counts = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
        markers = lists.flatten().field("marker").to_numpy(zero_copy_only=False)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        keys = np.repeat(rows, counts) * self.STRIDE + markers
        keys = np.concatenate([self._keys, keys])
        local = np.concatenate([self._local, np.arange(len(markers)) - starts])
        order = np.argsort(keys, kind="stable")
        self._keys, self._local = keys[order], local[order]
        self._counts.append(counts)
        return np.asarray(counts)

    def counts(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.int32), *self._counts])

    def local(self, rows: np.ndarray, markers: np.ndarray) -> np.ndarray:
        """The local entity of each (row, marker), -1 if the document has no such entity."""
        wanted = rows * self.STRIDE + markers
        if not len(self._keys):
            return np.full(len(wanted), -1)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[place] == wanted, self._local[place], -1)


def _owners(column: pa.Array, known: pa.Array, ids: list[str]) -> np.ndarray:
    rows = pc.fill_null(pc.index_in(column, value_set=known), -1).to_numpy(zero_copy_only=False)
    if (rows < 0).any():
        k = int(np.argmax(rows < 0))
        raise UserError(f"its document {column[k]} is not in the shard", where=f"question {ids[k]}")
    return np.asarray(rows, np.int64)
