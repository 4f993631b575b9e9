"""Encoders turn the tokens of a text into the ids that a network reads.

The first ids are the same in each (`cloze.readers.vocabulary` lists them): padding, the unknown
word, the gap, the delimiter and the pool of markers. What follows is words (`Vocabulary`) or the
word pieces of a tokenizer (`Pieces`). A marker is never cut into pieces.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np

from cloze.errors import UserError
from cloze.readers.pieces import Pieces
from cloze.readers.vocabulary import Vocabulary


class Encoder(Protocol):
    file: ClassVar[str]  # its name in a model's folder and beside encoded splits
    whole: ClassVar[bool]  # each token has one id
    pool: int  # how many markers

    def __len__(self) -> int:
        """How many ids there are."""
        ...

    @property
    def first_word(self) -> int:
        """The first id after the markers."""
        ...

    @property
    def unknown_ids(self) -> frozenset[int]:
        """The ids that stand for what it does not know."""
        ...

    @property
    def sha256(self) -> str: ...

    @property
    def described(self) -> str:
        """What it knows, for a model's card: '20,000 words'."""
        ...

    def ids(self, types: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The ids of token types (no markers), laid end to end, and how many each type has."""
        ...

    def save(self, path: Path) -> None: ...


def open_encoder(directory: Path) -> Encoder:
    """The encoder of a model or of encoded splits."""
    if (directory / Pieces.file).is_file():
        return Pieces.load(directory / Pieces.file)
    if not (directory / Vocabulary.file).is_file():
        raise UserError(
            f"there is neither {Vocabulary.file} nor {Pieces.file}",
            where=directory,
            fix="copy the folder again",
        )
    return Vocabulary.load(directory / Vocabulary.file)


def check_pool(entities: int, encoder: Encoder, document: str) -> None:
    """Refuse a document whose entities would run over into the ids of words."""
    if entities > encoder.pool:
        raise UserError(
            f"has {entities} entities but the vocabulary's pool has only {encoder.pool} markers",
            where=f"document {document}",
            fix="shorten the document, or make the vocabulary with a larger pool",
        )
