"""What a run reads: a directory with a vocabulary and encoded splits, made from a corpus once.

    encoded/vocabulary.txt
            train/*.npy
            valid/*.npy

Only making it needs the corpus (and pyarrow); training from it needs NumPy alone.
"""

from dataclasses import dataclass
from pathlib import Path

from cloze.errors import UserError
from cloze.files import read_json, write_json
from cloze.readers.encoded import META, EncodedSplit, encode
from cloze.readers.vocabulary import Vocabulary
from cloze.training.distributed import Ranks
from cloze.training.settings import TrainSettings

VOCABULARY = "vocabulary.txt"
MADE_FROM = "made_from.json"


@dataclass(frozen=True)
class TrainingData:
    name: str  # of the corpus, for the model card
    vocabulary: Vocabulary
    train: EncodedSplit
    valid: EncodedSplit


def open_data(settings: TrainSettings, ranks: Ranks) -> TrainingData:
    """What a config says to read; a corpus is encoded the first time, by the first rank."""
    directory = settings.encoded
    if settings.corpus is not None:
        directory = directory or settings.out / "encoded"
        if ranks.first:
            encode_corpus(
                settings.corpus,
                directory,
                splits=[settings.train, settings.valid],
                vocabulary_from=settings.train,
                **settings.vocabulary.model_dump(),
            )
        ranks.any(False)  # the others wait here until it is there
    if directory is None:
        raise UserError(
            "nothing to train on", fix="give corpus=FOLDER, or encoded=FOLDER of cloze encode"
        )
    return open_encoded(directory, settings.train, settings.valid)


def open_encoded(directory: Path, train: str = "train", valid: str = "valid") -> TrainingData:
    directory = Path(directory)
    if not directory.is_dir():
        raise UserError("no such folder of encoded splits", where=directory, fix=_HOW)
    vocabulary = Vocabulary.load(directory / VOCABULARY)
    made_from = directory / MADE_FROM
    name = read_json(made_from)["name"] if made_from.is_file() else directory.name
    opened = [_open_split(directory, split, vocabulary) for split in (train, valid)]
    return TrainingData(name, vocabulary, *opened)


def encode_corpus(
    corpus: Path,
    directory: Path,
    *,
    splits: list[str] | None = None,
    vocabulary_from: str = "train",
    pool: int = 0,
    minimum_count: int = 1,
    maximum_words: int | None = None,
) -> Path:
    """Encode splits of a corpus (all of them unless named); what is already there is kept.

    A directory made from another corpus, or with other options, is refused and not mixed.
    """
    from cloze.corpus.store import Corpus

    opened = Corpus.open(corpus)
    made_from = {
        "name": opened.name,
        "fingerprint": opened.fingerprint,
        "vocabulary_from": vocabulary_from,
        "pool": pool,
        "minimum_count": minimum_count,
        "maximum_words": maximum_words,
    }
    wanted = opened.splits if splits is None else list(dict.fromkeys(splits))
    for split in wanted:
        opened.count(split)  # a split that is not there is told before anything is written
    _check_same(directory, made_from)
    if not (directory / VOCABULARY).is_file():
        vocabulary = Vocabulary.from_corpus(
            opened,
            vocabulary_from,
            pool=pool,
            minimum_count=minimum_count,
            maximum_words=maximum_words,
        )
        write_json(directory / MADE_FROM, made_from)
        vocabulary.save(directory / VOCABULARY)
    vocabulary = Vocabulary.load(directory / VOCABULARY)
    for split in wanted:
        if not (directory / split / META).is_file():
            encode(opened, split, vocabulary, directory / split)
    return directory


_HOW = "make it: cloze encode CORPUS FOLDER"


def _open_split(directory: Path, name: str, vocabulary: Vocabulary) -> EncodedSplit:
    if not (directory / name).is_dir():
        there = sorted(p.parent.name for p in directory.glob(f"*/{META}"))
        raise UserError(
            f"there is no split '{name}'",
            where=directory,
            fix=f"it has {', '.join(there) or 'none'}",
        )
    split = EncodedSplit.open(directory / name, vocabulary)
    if not len(split):
        raise UserError("this split has no questions", where=directory / name)
    return split


def _check_same(directory: Path, made_from: dict[str, object]) -> None:
    if not (directory / MADE_FROM).is_file():
        return
    before = read_json(directory / MADE_FROM)
    differs = [key for key, value in made_from.items() if before.get(key) != value]
    if differs:
        raise UserError(
            f"was encoded from something else ({', '.join(differs)} differ)",
            where=directory,
            fix="choose another folder, or remove this one",
        )
