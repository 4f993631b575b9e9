"""Keep only the word pieces that a corpus uses; every other word is cut into smaller ones.

WordPiece cuts a word from the left, each time taking the longest piece that fits. A word whose
pieces are all kept is therefore cut as before, and no other loses more than the length of its
pieces: the single characters always stay, so it can still be spelt.
"""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cloze.errors import UserError
from cloze.readers.parts import is_split, open_split
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import blank


def counted(encoded: Path, pieces: Pieces) -> np.ndarray:
    """How often each piece occurs in the texts of an encoded corpus, by the tokenizer's id."""
    splits = sorted(place for place in encoded.glob("*/") if is_split(place))
    if not splits:
        raise UserError("is not an encoded corpus", where=encoded, fix="make it with cloze encode")
    found = np.zeros(len(pieces), np.int64)
    for directory in splits:
        split = open_split(directory, pieces)
        for tokens in (split.document_tokens, split.question_tokens):
            found += np.bincount(tokens, minlength=len(pieces))
    return found[pieces.first_word :]


def fewer(pieces: Pieces, counts: np.ndarray, most: int) -> tuple[Pieces, np.ndarray]:
    """At most `most` pieces, and the ids that they had before: the signs and the single characters,
    then the most frequent."""
    by_id = {number: piece for piece, number in _numbers(pieces).items()}
    needed = [number for number, piece in by_id.items() if _is_needed(piece, pieces.tokenizer)]
    if len(needed) > most:
        raise UserError(f"{len(needed):,} pieces are signs and single characters, which must stay")
    rest = sorted(by_id.keys() - set(needed), key=lambda number: (-counts[number], number))
    kept = np.asarray(sorted([*needed, *rest[: most - len(needed)]]), np.int64)
    return Pieces(_with_only(pieces.tokenizer, kept.tolist()), pieces.pool), kept


def _numbers(pieces: Pieces) -> dict[str, int]:
    """The tokenizer's ids of the pieces."""
    model = pieces.tokenizer["model"]
    if model.get("type") != "WordPiece":
        raise UserError(
            f"pieces of the sort '{model.get('type')}' depend on each other; only WordPiece "
            "can do without some",
            fix="leave out --words and --pieces-of",
        )
    found: dict[str, int] = model["vocab"]
    return found


def _is_needed(piece: str, tokenizer: dict[str, Any]) -> bool:
    model = tokenizer["model"]
    signs = {sign["content"] for sign in tokenizer["added_tokens"]} | {model["unk_token"]}
    return piece in signs or len(piece.removeprefix(model["continuing_subword_prefix"])) == 1


def _with_only(tokenizer: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    """The tokenizer with only these pieces, numbered anew in the same order."""
    number = {old: new for new, old in enumerate(kept)}
    made = copy.deepcopy(tokenizer)
    vocabulary = made["model"]["vocab"]
    made["model"]["vocab"] = {p: number[old] for p, old in vocabulary.items() if old in number}
    for sign in made["added_tokens"]:
        sign["id"] = number[sign["id"]]
    made["post_processor"] = None  # it would put signs around a text by their old numbers
    return made


@torch.no_grad()
def with_fewer_pieces(reader: Reader, most: int, encoded: Path) -> Reader:
    """The same reader with only the `most` most frequent pieces of an encoded corpus."""
    old = reader.vocabulary
    assert isinstance(old, Pieces)
    counts = counted(encoded, old)
    new, kept = fewer(old, counts, most)
    rows = np.concatenate([np.arange(old.first_word), old.first_word + kept])
    share = counts[kept].sum() / max(counts.sum(), 1)
    said = f"to {len(kept):,} word pieces, {share:.2%} of the corpus"
    return _with_rows(reader, new, rows, said)


@torch.no_grad()
def with_pieces_of(reader: Reader, other: Reader) -> Reader:
    """The same reader with only the pieces and the markers that the other has, and their ids."""
    old, new = reader.vocabulary, other.vocabulary
    if not isinstance(old, Pieces) or not isinstance(new, Pieces):
        raise UserError("both readers must read word pieces", where=other.directory)
    before, kept = _numbers(old), _numbers(new)
    unknown = len(kept.keys() - before.keys())
    if unknown or new.pool > old.pool:
        what = f"{unknown:,} of its word pieces" if unknown else f"{new.pool:,} markers"
        raise UserError(
            f"has {what}, which the reader to prune has not",
            where=other.directory,
            fix="give a reader that was made from the same encoder",
        )
    of_piece = [before[piece] for piece in sorted(kept, key=kept.__getitem__)]
    rows = np.concatenate([np.arange(new.first_word), old.first_word + np.asarray(of_piece)])
    return _with_rows(reader, new, rows, f"to the {len(kept):,} word pieces of another reader")


def _with_rows(reader: Reader, new: Pieces, rows: np.ndarray, said: str) -> Reader:
    network = blank(reader.config, len(new))
    by_id = {id(weight) for weight in network.read_rows() + network.answer_rows()}
    before = dict(reader.network.named_parameters())
    for name, weight in network.named_parameters():
        weight.copy_(before[name][rows] if id(weight) in by_id else before[name])
    network.to(reader.device)
    about = reader.about | {"pruned": said}
    return Reader(reader.config, new, network, about=about, notice=reader.notice)
