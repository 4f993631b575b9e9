"""Encode a corpus: one vocabulary, and a folder of arrays for each split.

    encoded/vocabulary.txt    or pieces.json
            made_from.json
            train/*.npy       or, to travel, train/part-*.zst (`cloze.readers.parts`)
            valid/*.npy

Only encoding needs the corpus (and pyarrow); NumPy alone can open the arrays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.files import check_apart, one_writer, sha256, write_json
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import MADE_FROM, EncodedSplit, read_made_from
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.encoder_folders import TOKENIZER, encoder_folder
from cloze.readers.parts import is_split, pack_split
from cloze.readers.pieces import Pieces
from cloze.readers.shipped_models import model_at
from cloze.readers.vocabulary import Vocabulary, most_entities

MakeSplit = Callable[[str, Encoder, Path], EncodedSplit]


def encode_corpus(
    corpus: Path,
    directory: Path,
    *,
    splits: list[str] | None = None,
    vocabulary_from: str = "train",
    pool: int = 0,
    minimum_count: int = 1,
    maximum_words: int | None = None,
    tokenizer: Path | None = None,
    part_size: int | None = None,
) -> Path:
    """Encode splits of a corpus (by default all of them); what is already there is kept.

    With a `tokenizer` (a file tokenizer.json, or the folder of an encoder or reader), texts are
    encoded in its word pieces instead of words; with a `part_size` the splits are written as
    compressed parts of at most that many bytes. A directory made from another corpus, or with other
    options, is refused.
    """
    asked = Encoding(
        Corpus.open(corpus),
        vocabulary_from,
        pool,
        minimum_count,
        maximum_words,
        tokenizer_in(tokenizer),
        part_size,
    )
    return encode(asked, directory, splits, asked.encoder, partial(encode_split, asked.corpus))


@dataclass(frozen=True, eq=False)
class Encoding:
    """What is to be encoded, and how."""

    corpus: Corpus
    vocabulary_from: str = "train"
    pool: int = 0
    minimum_count: int = 1
    maximum_words: int | None = None
    tokenizer: Path | None = None  # a file
    part_size: int | None = None

    @cached_property
    def made_from(self) -> dict[str, Any]:
        """What distinguishes the result from others."""
        language, tokenizer = self.corpus.language, self.tokenizer
        return {
            "name": self.corpus.name,
            "fingerprint": self.corpus.fingerprint,
            "vocabulary_from": self.vocabulary_from,
            "pool": self.pool,
            "minimum_count": self.minimum_count,
            "maximum_words": self.maximum_words,
            **({"language": language} if language != "en" else {}),
            **({"tokenizer": sha256(tokenizer)} if tokenizer else {}),
            **({"part_size": self.part_size} if self.part_size else {}),
        }

    def wanted(self, splits: list[str] | None) -> list[str]:
        """The splits asked for, by default all of them; one that is not there is refused."""
        wanted = self.corpus.splits if splits is None else list(dict.fromkeys(splits))
        for split in wanted:
            self.corpus.count(split)
        return wanted

    def encoder(self) -> Encoder:
        """Made from the whole corpus."""
        if self.tokenizer is not None:
            return self.pieces(most_entities(self.corpus))
        return Vocabulary.from_corpus(
            self.corpus,
            self.vocabulary_from,
            pool=self.pool,
            minimum_count=self.minimum_count,
            maximum_words=self.maximum_words,
        )

    def pieces(self, entities: int) -> Encoder:
        """The tokenizer, with markers for a document of so many entities."""
        assert self.tokenizer is not None
        return Pieces.of_tokenizer(self.tokenizer, max(self.pool, entities, 1))


def encode(
    asked: Encoding,
    directory: Path,
    splits: list[str] | None,
    make_encoder: Callable[[], Encoder],
    make_split: MakeSplit,
) -> Path:
    """Put what is not there yet into a directory."""
    wanted = asked.wanted(splits)
    check_place(asked, directory, wanted)
    if not is_whole(directory, wanted):
        with one_writer(directory, fix="wait for it, or choose another folder"):
            _check_same(directory, asked.made_from)  # another run may have begun it meanwhile
            _encode(asked, directory, wanted, make_encoder, make_split)
    return directory


def check_place(asked: Encoding, directory: Path, splits: list[str]) -> None:
    """Stop if a directory holds the input, or was made from other input."""
    for made_here in (MADE_FROM, *splits):
        check_apart(directory / made_here, asked.corpus.path, asked.tokenizer)
    _check_same(directory, asked.made_from)


def is_whole(directory: Path, splits: list[str]) -> bool:
    return has_encoder(directory) and all(is_split(directory / split) for split in splits)


def has_encoder(directory: Path) -> bool:
    return any((directory / kind.file).is_file() for kind in (Vocabulary, Pieces))


def _encode(
    asked: Encoding,
    directory: Path,
    splits: list[str],
    make_encoder: Callable[[], Encoder],
    make_split: MakeSplit,
) -> None:
    """What is not there yet: the encoder, then each split."""
    if not has_encoder(directory):
        made = make_encoder()
        write_json(directory / MADE_FROM, asked.made_from)
        made.save(directory / made.file)
    encoder = open_encoder(directory)
    for split in splits:
        if is_split(directory / split):
            continue
        if asked.part_size is None:
            make_split(split, encoder, directory / split)
        else:
            _in_parts(partial(make_split, split, encoder), directory / split, asked.part_size)


def _in_parts(make_split: Callable[[Path], EncodedSplit], directory: Path, part_size: int) -> None:
    """By way of the arrays, on disk, so that no corpus is too large for the memory."""
    with TemporaryDirectory(prefix=f".{directory.name}-", dir=directory.parent) as beside:
        pack_split(make_split(Path(beside) / directory.name), directory, part_size)


def tokenizer_in(place: Path | None) -> Path | None:
    """The file, which may be in the folder of an encoder or reader, or of a reader that ships."""
    if place is None or place.is_file():
        return place
    folder = encoder_folder(model_at(place))
    of_model = folder / Pieces.file
    found = of_model if of_model.is_file() else folder / TOKENIZER
    if not found.is_file():
        fix = f"give a file {TOKENIZER}, or a folder that has one"
        raise UserError("is no file", where=found, fix=fix)
    return found


def _check_same(directory: Path, made_from: dict[str, Any]) -> None:
    before = read_made_from(directory)
    keys = made_from.keys() | before.keys() if before else ()
    differs = sorted(key for key in keys if before.get(key) != made_from.get(key))
    if differs:
        raise UserError(
            f"was encoded from something else ({', '.join(differs)} differ)",
            where=directory,
            fix="choose another folder, or remove this one",
        )
