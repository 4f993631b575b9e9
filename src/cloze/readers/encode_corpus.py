"""Encode a corpus: one vocabulary, and a folder of arrays for each split.

    encoded/vocabulary.txt    or pieces.json
            made_from.json
            train/*.npy       or, to travel, train/part-*.zst (`cloze.readers.parts`)
            valid/*.npy

Only encoding needs the corpus (and pyarrow); NumPy alone can open the arrays.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.files import check_apart, one_writer, sha256, write_json
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import MADE_FROM, read_made_from
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.encoder_folders import TOKENIZER, encoder_folder
from cloze.readers.parts import is_split, pack_split
from cloze.readers.pieces import Pieces
from cloze.readers.vocabulary import Vocabulary, most_entities


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
    opened = Corpus.open(corpus)
    if tokenizer is not None and not tokenizer.is_file():
        folder = encoder_folder(tokenizer)
        of_model = folder / Pieces.file
        tokenizer = of_model if of_model.is_file() else folder / TOKENIZER
    made_from: dict[str, Any] = {
        "name": opened.name,
        "fingerprint": opened.fingerprint,
        "vocabulary_from": vocabulary_from,
        "pool": pool,
        "minimum_count": minimum_count,
        "maximum_words": maximum_words,
        **({"language": opened.language} if opened.language != "en" else {}),
        **({"tokenizer": sha256(tokenizer)} if tokenizer else {}),
        **({"part_size": part_size} if part_size else {}),
    }
    wanted = opened.splits if splits is None else list(dict.fromkeys(splits))
    for split in wanted:
        opened.count(split)  # one that is not there is refused before anything is written
    for made_here in (MADE_FROM, *wanted):
        check_apart(directory / made_here, corpus, tokenizer)
    _check_same(directory, made_from)
    if not _is_whole(directory, wanted):
        with one_writer(directory, fix="wait for it, or choose another folder"):
            _check_same(directory, made_from)  # another run may have begun it meanwhile
            _encode(opened, directory, made_from, wanted, tokenizer, part_size)
    return directory


def _is_whole(directory: Path, splits: list[str]) -> bool:
    return _has_encoder(directory) and all(is_split(directory / split) for split in splits)


def _has_encoder(directory: Path) -> bool:
    return any((directory / kind.file).is_file() for kind in (Vocabulary, Pieces))


def _encode(
    corpus: Corpus,
    directory: Path,
    made_from: dict[str, Any],
    splits: list[str],
    tokenizer: Path | None,
    part_size: int | None,
) -> None:
    """What is not there yet: the encoder, then each split."""
    if not _has_encoder(directory):
        made = _encoder(corpus, made_from, tokenizer)
        write_json(directory / MADE_FROM, made_from)
        made.save(directory / made.file)
    encoder = open_encoder(directory)
    for split in splits:
        if is_split(directory / split):
            continue
        if part_size is None:
            encode_split(corpus, split, encoder, directory / split)
        else:
            _encode_in_parts(corpus, split, encoder, directory / split, part_size)


def _encode_in_parts(
    corpus: Corpus, split: str, encoder: Encoder, directory: Path, part_size: int
) -> None:
    """By way of the arrays, on disk, so that no corpus is too large for the memory."""
    with TemporaryDirectory(prefix=f".{split}-", dir=directory.parent) as beside:
        arrays = encode_split(corpus, split, encoder, Path(beside) / split)
        pack_split(arrays, directory, part_size)


def _encoder(corpus: Corpus, options: dict[str, Any], tokenizer: Path | None) -> Encoder:
    if tokenizer is not None:
        return Pieces.of_tokenizer(tokenizer, max(options["pool"], most_entities(corpus), 1))
    return Vocabulary.from_corpus(
        corpus,
        options["vocabulary_from"],
        pool=options["pool"],
        minimum_count=options["minimum_count"],
        maximum_words=options["maximum_words"],
    )


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
