"""A split as flat arrays of token ids, each document and each question stored once.

    document_tokens    int32 [all tokens]      documents laid end to end
    document_offsets   int64 [documents + 1]   document d is tokens[offsets[d] : offsets[d + 1]]
    document_entities  int32 [documents]       how many entities it has
    question_tokens    int32, question_offsets int64, in the same way
    question_document  int32 [questions]       the document that a question is about
    question_answer    int32 [questions]       the answer as a local entity, -1 where not known
    question_keys      uint64 [questions]      `key_of` the question's id, for drawing markers

Entities are local: entity k of a document is `Document.entities[k]`, whatever its marker in the
corpus, and is stored as the token id FIRST_MARKER + k. On disk each array is a .npy file that is
memory-mapped, with `ids.json` and `meta.json` beside them; opening them needs NumPy only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.files import read_json
from cloze.randomness import key_of
from cloze.readers.vocabulary import FIRST_MARKER, Vocabulary
from cloze.text import MARKER, Text

if TYPE_CHECKING:
    from cloze.corpus.store import Corpus

FORMAT = 1
META, IDS = "meta.json", "ids.json"
DTYPES: dict[str, type[np.generic]] = {
    "document_tokens": np.int32,
    "document_offsets": np.int64,
    "document_entities": np.int32,
    "question_tokens": np.int32,
    "question_offsets": np.int64,
    "question_document": np.int32,
    "question_answer": np.int32,
    "question_keys": np.uint64,
}


@dataclass(frozen=True, eq=False)
class EncodedSplit:
    document_tokens: np.ndarray
    document_offsets: np.ndarray
    document_entities: np.ndarray
    question_tokens: np.ndarray
    question_offsets: np.ndarray
    question_document: np.ndarray
    question_answer: np.ndarray
    question_keys: np.ndarray
    directory: Path | None = None  # where it lies, if it lies on disk
    meta: dict[str, Any] | None = None

    @classmethod
    def open(cls, directory: Path | str, vocabulary: Vocabulary | None = None) -> "EncodedSplit":
        """Map the arrays of a directory; with a vocabulary, check that they were made with it."""
        directory = Path(directory)
        meta = read_json(directory / META)
        if not isinstance(meta, dict) or meta.get("format") != FORMAT:
            raise UserError(
                f"is not an encoded split of format {FORMAT}",
                where=directory,
                fix="encode it again",
            )
        if vocabulary is not None and meta.get("vocabulary_sha256") != vocabulary.sha256:
            raise UserError(
                "was encoded with another vocabulary", where=directory, fix="encode it again"
            )
        arrays = {name: _map(directory / f"{name}.npy", dtype) for name, dtype in DTYPES.items()}
        split = cls(**arrays, directory=directory, meta=meta)
        split._check()
        return split

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.question_keys)

    @property
    def documents(self) -> int:
        return len(self.document_entities)

    @cached_property
    def document_lengths(self) -> np.ndarray:
        """Tokens of the document of each question: what sorting by length needs. int32."""
        lengths = np.diff(self.document_offsets).astype(np.int32)
        return np.asarray(lengths[self.question_document])

    @cached_property
    def question_lengths(self) -> np.ndarray:
        return np.diff(self.question_offsets).astype(np.int32)

    @cached_property
    def question_ids(self) -> list[str]:
        if self.directory is None:
            raise UserError("an encoded split that is not on disk keeps no ids")
        return list(read_json(self.directory / IDS)["questions"])

    def _check(self) -> None:
        """Every index must lead somewhere: a shortened or foreign file is told at once."""
        for kind in ("document", "question"):
            offsets, tokens = getattr(self, f"{kind}_offsets"), getattr(self, f"{kind}_tokens")
            if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(tokens):
                self._broken(f"{kind}_offsets.npy does not fit {kind}_tokens.npy")
            if (np.diff(offsets) <= 0).any():
                self._broken(f"{kind}_offsets.npy is not increasing")
        sizes = {len(self.question_offsets) - 1} | {
            len(getattr(self, f.name)) for f in fields(self) if f.name in _EACH_QUESTION
        }
        if len(sizes) != 1 or len(self.document_entities) != len(self.document_offsets) - 1:
            self._broken("its arrays are not of one length")
        owner = self.question_document
        if len(owner) and not 0 <= owner.min() <= owner.max() < self.documents:
            self._broken("question_document.npy names a document that is not there")

    def _broken(self, what: str) -> None:
        raise UserError(what, where=self.directory, fix="encode the split again")


_EACH_QUESTION = ("question_document", "question_answer", "question_keys")


def encode(corpus: "Corpus", split: str, vocabulary: Vocabulary, directory: Path) -> EncodedSplit:
    """Encode a split of a corpus into a directory and open it."""
    from cloze.readers.encoding import encode_corpus

    encode_corpus(corpus, split, vocabulary, directory)
    return EncodedSplit.open(directory, vocabulary)


def encode_points(
    points: Iterable[tuple[Document, Sequence[Question]]], vocabulary: Vocabulary
) -> EncodedSplit:
    """Encode documents and their questions in memory, in the order given."""
    documents: list[np.ndarray] = []
    questions: list[np.ndarray] = []
    entities, owners, answers, keys = [], [], [], []
    for number, (document, asked) in enumerate(points):
        check_pool(len(document.entities), vocabulary, document.id)
        local = {entity.marker: k for k, entity in enumerate(document.entities)}
        documents.append(_ids(document.context, local, vocabulary, f"document {document.id}"))
        entities.append(len(document.entities))
        for question in asked:
            where = f"question {question.id}"
            questions.append(_ids(question.query, local, vocabulary, where))
            owners.append(number)
            answers.append(local.get(question.answer, -1))
            keys.append(key_of(question.id))
    return EncodedSplit(
        _joined(documents),
        _offsets(documents),
        np.asarray(entities, np.int32),
        _joined(questions),
        _offsets(questions),
        np.asarray(owners, np.int32),
        np.asarray(answers, np.int32),
        np.asarray(keys, np.uint64),
    )


def check_pool(entities: int, vocabulary: Vocabulary, document: str) -> None:
    """Local entities beyond the pool would have the ids of words."""
    if entities > vocabulary.pool:
        raise UserError(
            f"has {entities} entities but the vocabulary's pool has only {vocabulary.pool} markers",
            where=f"document {document}",
            fix="shorten the document, or make the vocabulary with a larger pool",
        )


def _ids(text: Text, local: dict[int, int], vocabulary: Vocabulary, where: str) -> np.ndarray:
    if not text.tokens:
        raise UserError("has no tokens; there is nothing to read", where=where)
    ids = np.fromiter(map(vocabulary.id, text.tokens), np.int32, len(text))
    for marker, places in text.mentions().items():
        if marker not in local:
            raise UserError(f"'{MARKER}{marker}' is not among the document's entities", where=where)
        ids[places] = FIRST_MARKER + local[marker]
    return ids


def _joined(arrays: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int32), *arrays])


def _offsets(arrays: list[np.ndarray]) -> np.ndarray:
    return np.cumsum([0, *map(len, arrays)], dtype=np.int64)


def _map(path: Path, dtype: type[np.generic]) -> np.ndarray:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise UserError("this file is missing", where=path, fix="encode the split again") from None
    except ValueError as problem:
        raise UserError(
            f"is truncated or not a .npy file ({problem})", where=path, fix="encode the split again"
        ) from None
    if array.dtype != dtype or array.ndim != 1:
        raise UserError(
            f"holds {array.dtype} {array.shape}, not flat {np.dtype(dtype)}", where=path
        )
    return np.asarray(array)
