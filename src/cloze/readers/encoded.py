"""A split as flat arrays of token ids, each document and each question stored once.

    document_tokens    int32 [all tokens]      documents laid end to end
    document_offsets   int64 [documents + 1]   document d is tokens[offsets[d] : offsets[d + 1]]
    document_entities  int32 [documents]       how many entities it has
    question_tokens    int32, question_offsets int64, likewise
    question_document  int32 [questions]       the document that a question is about
    question_answer    int32 [questions]       the answer as a local entity, -1 if unknown
    question_keys      uint64 [questions]      `key_of` the question's id, for drawing markers
    document_starts    uint8 [all tokens]      word pieces only: 1 where a token begins
    question_starts    uint8                   likewise

Entities are local: entity k of a document is `Document.entities[k]`, whatever its marker in the
corpus, and is stored as the token id FIRST_MARKER + k. On disk each array is a .npy file that is
memory-mapped, with `ids.json` and `meta.json` beside them; opening them needs NumPy only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from pydantic import Field, PositiveInt

from cloze.errors import UserError
from cloze.files import read_json, verify
from cloze.readers.encoder import Encoder
from cloze.readers.vocabulary import FIRST_MARKER
from cloze.shape import FileShape, Shape

FORMAT = 1
META, IDS, MADE_FROM = "meta.json", "ids.json", "made_from.json"
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
# Only for word pieces; an encoder of words gives each token one id.
STARTS: dict[str, type[np.generic]] = {"document_starts": np.uint8, "question_starts": np.uint8}


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
    document_starts: np.ndarray | None = None
    question_starts: np.ndarray | None = None
    directory: Path | None = None  # where it is, if it is on disk
    meta: dict[str, Any] | None = None

    @classmethod
    def open(cls, directory: Path | str, encoder: Encoder | None = None) -> "EncodedSplit":
        """Map the arrays of a directory; with an encoder, check that they were made with it."""
        directory = Path(directory)
        meta = read_json(directory / META)
        if not isinstance(meta, dict) or meta.get("format") != FORMAT:
            raise UserError(
                f"is not an encoded split of format {FORMAT}",
                where=directory,
                fix="encode it again",
            )
        if encoder is not None and meta.get("vocabulary_sha256") != encoder.sha256:
            raise UserError(
                "was encoded with another vocabulary", where=directory, fix="encode it again"
            )
        _Meta.check(meta, where=directory / META, fix=_AGAIN)
        if encoder is not None and meta["vocabulary_size"] != len(encoder):
            raise UserError("'vocabulary_size' is not the vocabulary's", where=directory / META)
        for name, expected in meta.get("files", {}).items():  # older folders have no hashes
            verify(directory / name, expected, fix=_AGAIN)
        dtypes = DTYPES | (STARTS if meta.get("pieces") else {})
        arrays = {name: _map(directory / f"{name}.npy", dtype) for name, dtype in dtypes.items()}
        split = cls(**arrays, directory=directory, meta=meta)
        split._check()
        if encoder is not None:
            split._check_markers(encoder.pool)
        return split

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.question_keys)

    @property
    def documents(self) -> int:
        return len(self.document_entities)

    @cached_property
    def document_lengths(self) -> np.ndarray:
        """The number of tokens in each question's document, for sorting by length. int32."""
        lengths = np.diff(self.document_offsets).astype(np.int32)
        return np.asarray(lengths[self.question_document])

    @cached_property
    def question_lengths(self) -> np.ndarray:
        return np.diff(self.question_offsets).astype(np.int32)

    @property
    def document_ids(self) -> list[str]:
        return self._ids["documents"]

    @property
    def question_ids(self) -> list[str]:
        return self._ids["questions"]

    @cached_property
    def _ids(self) -> dict[str, list[str]]:
        if self.directory is None:
            raise UserError("an encoded split that is not on disk keeps no ids")
        path = self.directory / IDS
        ids: dict[str, list[str]] = _Ids.check(read_json(path), where=path, fix=_AGAIN)
        if (len(ids["documents"]), len(ids["questions"])) != (self.documents, len(self)):
            raise UserError("has not one id for each text", where=path, fix=_AGAIN)
        return ids

    def tokens_of(self, document: int) -> int:
        """How many tokens a document has, however many ids they have."""
        own = slice(*self.document_offsets[document : document + 2])
        starts = self.document_starts
        return own.stop - own.start if starts is None else int(starts[own].sum())

    def some(
        self, documents: Sequence[int] | np.ndarray, questions: Sequence[int] | np.ndarray
    ) -> "EncodedSplit":
        """A split of only these documents and questions, with `question_document` unchanged."""
        d, q = np.asarray(documents, np.int64), np.asarray(questions, np.int64)
        in_documents = _places(self.document_offsets, d)
        in_questions = _places(self.question_offsets, q)
        return EncodedSplit(
            self.document_tokens[in_documents],
            _offsets(self.document_offsets, d),
            self.document_entities[d],
            self.question_tokens[in_questions],
            _offsets(self.question_offsets, q),
            self.question_document[q],
            self.question_answer[q],
            self.question_keys[q],
            None if self.document_starts is None else self.document_starts[in_documents],
            None if self.question_starts is None else self.question_starts[in_questions],
        )

    def by_token(self, question: int, attention: np.ndarray) -> np.ndarray:
        """Attention over ids, [Td] or [Tq, Td], as attention over the texts' own tokens.

        The weights of the pieces of a document's token are added up. For a token of the question,
        it is the attention at its last piece, when the whole token has been read.
        """
        if self.document_starts is None or self.question_starts is None:
            return attention
        d = int(self.question_document[question])
        own = self.document_starts[slice(*self.document_offsets[d : d + 2])]
        attention = np.add.reduceat(attention, np.flatnonzero(own), axis=-1)
        if attention.ndim == 2:
            asked = self.question_starts[slice(*self.question_offsets[question : question + 2])]
            attention = attention[[*np.flatnonzero(asked)[1:] - 1, len(asked) - 1]]
        return attention

    def _check(self) -> None:
        """Check that every index is valid, so that a truncated or foreign file is refused here."""
        for kind in ("document", "question"):
            offsets, tokens = getattr(self, f"{kind}_offsets"), getattr(self, f"{kind}_tokens")
            if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(tokens):
                self._broken(f"{kind}_offsets.npy does not fit {kind}_tokens.npy")
            if (np.diff(offsets) <= 0).any():
                self._broken(f"{kind}_offsets.npy is not increasing")
            begins = getattr(self, f"{kind}_starts")
            if begins is not None and len(begins) != len(tokens):
                self._broken(f"{kind}_starts.npy does not fit {kind}_tokens.npy")
            if begins is not None and not (begins[offsets[:-1]].all() and begins.max() <= 1):
                self._broken(f"{kind}_starts.npy does not say where tokens begin")
        sizes = {len(self.question_offsets) - 1} | {
            len(getattr(self, f.name)) for f in fields(self) if f.name in _EACH_QUESTION
        }
        if len(sizes) != 1 or len(self.document_entities) != len(self.document_offsets) - 1:
            self._broken("its arrays differ in length")
        owner = self.question_document
        if len(owner) and not 0 <= owner.min() <= owner.max() < self.documents:
            self._broken("question_document.npy names a document that is not there")
        if self.meta is not None:
            self._check_values(self.meta["vocabulary_size"])

    def _check_values(self, size: int) -> None:
        """Ids that the vocabulary has, and answers that their documents have."""
        for name, least in (("document_tokens", 0), ("question_tokens", 0), *_OF_ENTITIES):
            values = getattr(self, name)
            if len(values) and not least <= values.min() <= values.max() < size:
                self._broken(f"{name}.npy holds numbers that no text has")
        if (self.question_answer >= self.document_entities[self.question_document]).any():
            self._broken("question_answer.npy names an entity that is not in the document")

    def _check_markers(self, pool: int) -> None:
        """A text names only the entities of its document; another's would be taken for them."""
        own = {"document": self.document_entities}
        own["question"] = self.document_entities[self.question_document]
        for kind, entities in own.items():
            offsets, tokens = getattr(self, f"{kind}_offsets"), getattr(self, f"{kind}_tokens")
            for place, number in _markers(tokens, pool):
                text = np.searchsorted(offsets, place, side="right") - 1
                if (number >= entities[text]).any():
                    self._broken(f"{kind}_tokens.npy names an entity that is not in the document")

    def _broken(self, what: str) -> None:
        raise UserError(what, where=self.directory, fix=_AGAIN)


class _Meta(Shape):
    vocabulary_sha256: str
    vocabulary_size: PositiveInt
    corpus_fingerprint: str | None = None
    pieces: bool = False
    files: dict[str, FileShape] = Field(default_factory=dict)


class _Ids(Shape):
    documents: list[str]
    questions: list[str]


class _MadeFrom(Shape):
    name: str


def read_made_from(directory: Path) -> dict[str, Any]:
    """What corpus and options a folder of encoded splits was made from; empty where it is not
    said."""
    path = directory / MADE_FROM
    if not path.is_file():
        return {}
    found: dict[str, Any] = _MadeFrom.check(read_json(path), where=path, fix=_AGAIN)
    return found


_AGAIN = "encode the split again"
_BLOCK = 1 << 20  # tokens
# What NumPy says about a head that is none: it is read as Python is.
NOT_NPY = (ValueError, TypeError, SyntaxError, TokenError, EOFError, RecursionError, MemoryError)
_OF_ENTITIES = (("document_entities", 0), ("question_answer", -1))  # and their least
_EACH_QUESTION = ("question_document", "question_answer", "question_keys")


def _markers(tokens: np.ndarray, pool: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Where the markers are and which entities they stand for; a block in memory at a time."""
    for start in range(0, len(tokens), _BLOCK):
        local = tokens[start : start + _BLOCK] - FIRST_MARKER
        place = np.flatnonzero((local >= 0) & (local < pool))
        yield start + place, local[place]


def _offsets(offsets: np.ndarray, which: np.ndarray) -> np.ndarray:
    return np.cumsum(np.concatenate([[0], offsets[which + 1] - offsets[which]]))


def _places(offsets: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The positions of the ids of some texts, one text after another."""
    starts, ends = offsets[which], _offsets(offsets, which)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - ends[:-1], np.diff(ends)))


def _map(path: Path, dtype: type[np.generic]) -> np.ndarray:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise UserError("this file is missing", where=path, fix=_AGAIN) from None
    except NOT_NPY as problem:
        raise UserError(
            f"is truncated or not a .npy file ({problem})", where=path, fix=_AGAIN
        ) from None
    if array.dtype != dtype or array.ndim != 1:
        raise UserError(
            f"holds {array.dtype} {array.shape}, not flat {np.dtype(dtype)}", where=path
        )
    return np.asarray(array)
