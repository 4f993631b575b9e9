"""Word pieces: the tokens of a text, cut by a Hugging Face tokenizer given as tokenizer.json.

The ids of the pieces follow those of the markers, in the tokenizer's own order. Everything is saved
in one JSON file with the number of markers and the tokenizer as it was given.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import NonNegativeInt

from cloze.errors import UserError
from cloze.extras import needs
from cloze.files import read_json, write_text
from cloze.readers.vocabulary import DELIMITER, DELIMITER_TOKEN, FIRST_MARKER, GAP, UNKNOWN
from cloze.shape import Shape
from cloze.text import PLACEHOLDER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMAT = "cloze word pieces, format 1"
_AGAIN = "copy the file again"
_SPACES = ("Ġ", "▁")  # what tokenizers write for the space before a word


class _File(Shape):
    tokenizer: dict[str, Any]
    markers: NonNegativeInt


class Pieces:
    """The pieces of a tokenizer, and the number of markers."""

    file: ClassVar[str] = "pieces.json"
    whole: ClassVar[bool] = False

    def __init__(self, tokenizer: dict[str, Any], pool: int) -> None:
        self.tokenizer, self.pool = tokenizer, pool

    @classmethod
    def of_tokenizer(cls, path: Path, pool: int) -> "Pieces":
        """From a file tokenizer.json, or from the pieces.json of a model, whose markers then all
        stay."""
        tokenizer = read_json(path)
        if isinstance(tokenizer, dict) and tokenizer.get("format") == FORMAT:
            made = cls.load(path)
            return cls(made.tokenizer, max(pool, made.pool))
        if not isinstance(tokenizer, dict) or "model" not in tokenizer:
            raise UserError("is not a tokenizer", where=path, fix="give a file tokenizer.json")
        pieces = cls(tokenizer, pool)
        len(pieces)  # a file that the library cannot read is refused here
        return pieces

    def __len__(self) -> int:
        return self.first_word + self._size

    @property
    def first_word(self) -> int:
        return FIRST_MARKER + self.pool

    @cached_property
    def unknown_ids(self) -> frozenset[int]:
        model = self.tokenizer["model"]
        sign, own = model.get("unk_token"), model.get("unk_id")
        if sign is not None:
            own = self._loaded.token_to_id(sign)
        return frozenset([UNKNOWN] if own is None else [UNKNOWN, self.first_word + own])

    @cached_property
    def beginnings(self) -> dict[int, str]:
        """What the pieces spell that a word can begin with, by their ids."""
        pieces = sorted((number, piece) for piece, number in self._loaded.get_vocab().items())
        goes_on = self.tokenizer["model"].get("continuing_subword_prefix")
        if goes_on:
            found = {i: piece for i, piece in pieces if not piece.startswith(goes_on)}
        else:  # where a space comes before it, as in every token here
            found = {i: piece[1:] for i, piece in pieces if piece.startswith(_SPACES)}
        return {self.first_word + i: piece for i, piece in found.items()}

    @property
    def described(self) -> str:
        return f"{self._size:,} word pieces"

    def ids(self, types: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        # A token follows a space, which some tokenizers make part of its first piece.
        try:
            cut = self._loaded.encode_batch([f" {t}" for t in types], add_special_tokens=False)
        except Exception as problem:  # the library raises nothing more specific
            raise UserError(f"the tokenizer cannot cut these words ({problem})") from None
        signs = {PLACEHOLDER: GAP, DELIMITER_TOKEN: DELIMITER}
        ids = [
            [signs[t]] if t in signs else [self.first_word + i for i in own.ids] or [UNKNOWN]
            for t, own in zip(types, cut, strict=True)
        ]
        flat = np.asarray([i for own in ids for i in own], np.int64)
        return flat, np.asarray([len(own) for own in ids], np.int64)

    def piece(self, *spellings: str) -> int:
        """The tokenizer's own id of a sign, which tokenizers spell differently."""
        found = next((i for s in spellings if (i := self._loaded.token_to_id(s)) is not None), None)
        if found is None:
            raise UserError(f"the tokenizer has no {' nor '.join(spellings)}")
        return int(found)

    @cached_property
    def text(self) -> str:
        """The file as it is saved."""
        content = {"format": FORMAT, "markers": self.pool, "tokenizer": self.tokenizer}
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def save(self, path: Path) -> None:
        write_text(path, self.text)

    @classmethod
    def load(cls, path: Path) -> "Pieces":
        content = read_json(path)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise UserError(f"is not '{FORMAT}'", where=path, fix=_AGAIN)
        _File.check(content, where=path, fix=_AGAIN)
        return cls(content["tokenizer"], content["markers"])

    def __getstate__(self) -> dict[str, Any]:
        return {"tokenizer": self.tokenizer, "pool": self.pool}

    @cached_property
    def _size(self) -> int:
        return 1 + max(self._loaded.get_vocab().values(), default=-1)

    @cached_property
    def _loaded(self) -> "Tokenizer":
        with needs("nlp"):
            from tokenizers import Tokenizer
        try:
            loaded = Tokenizer.from_str(json.dumps(self.tokenizer))
        except Exception as problem:  # the library raises nothing more specific
            raise UserError(f"the tokenizer cannot be read ({problem})") from None
        loaded.no_truncation()
        loaded.no_padding()
        return loaded
