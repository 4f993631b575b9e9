"""Encode a split of a corpus, whole columns at once."""

import json
from contextlib import ExitStack
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
    shards = corpus.shards(split)
    dtypes = DTYPES | ({} if encoder.whole else STARTS)
    total = corpus.count(split, "documents") + corpus.count(split)
    with whole_directory(directory, overwrite=True) as temporary, ExitStack() as stack:
        write = {n: stack.enter_context(growing(temporary, n, d)) for n, d in dtypes.items()}
        shown = stack.enter_context(bar())
        task = shown.add_task(f"encoding {split}", total=total, unit="texts")
        document_ids: list[str] = []
        question_ids: list[str] = []
        write["document_offsets"].append(np.zeros(1, np.int64))
        write["question_offsets"].append(np.zeros(1, np.int64))
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
                shown.advance(task, len(ids))
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
                shown.advance(task, len(ids))
        (temporary / IDS).write_text(
            json.dumps({"documents": document_ids, "questions": question_ids}), encoding="utf-8"
        )
        stack.close()  # the arrays are whole from here on
        meta = {
            "format": FORMAT,
            "corpus": corpus.name,
            "corpus_fingerprint": corpus.fingerprint,
            "split": split,
            "documents": len(document_ids),
            "questions": len(question_ids),
            "vocabulary_sha256": encoder.sha256,
            "vocabulary_size": len(encoder),
            **({} if encoder.whole else {"pieces": True}),
            "files": {file.name: described(file) for file in sorted(temporary.iterdir())},
        }
        write_json(temporary / META, meta)
    return EncodedSplit.open(directory, encoder)


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
