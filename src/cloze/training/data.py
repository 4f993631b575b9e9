"""What a run reads: a directory that `cloze.readers.encode_corpus` made from a corpus."""

from dataclasses import dataclass
from pathlib import Path

from cloze.errors import UserError
from cloze.readers.encoded import EncodedSplit, read_made_from
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.parts import is_split, open_split
from cloze.training.distributed import Ranks
from cloze.training.settings import TrainSettings


@dataclass(frozen=True)
class TrainingData:
    name: str  # of the corpus, for the model card
    vocabulary: Encoder
    train: EncodedSplit
    valid: EncodedSplit
    language: str = "en"  # of the corpus


def open_data(settings: TrainSettings, ranks: Ranks) -> TrainingData:
    """Open what a config says to read; the first time, the first rank encodes the corpus."""
    directory = settings.encoded
    if settings.corpus is not None:
        directory = directory or settings.out / "encoded"
        if ranks.first:
            from cloze.readers.encode_corpus import encode_corpus  # needs pyarrow

            encode_corpus(
                settings.corpus,
                directory,
                splits=[settings.train, settings.valid],
                vocabulary_from=settings.train,
                **settings.vocabulary.model_dump(),
            )
        ranks.any(False)  # the other ranks wait here for it
    if directory is None:
        raise UserError(
            "nothing to train on", fix="give corpus=FOLDER, or encoded=FOLDER from cloze encode"
        )
    return open_encoded(directory, settings.train, settings.valid)


def open_encoded(directory: Path, train: str = "train", valid: str = "valid") -> TrainingData:
    directory = Path(directory)
    if not directory.is_dir():
        raise UserError("no such folder of encoded splits", where=directory, fix=_HOW)
    vocabulary = open_encoder(directory)
    made_from = read_made_from(directory)
    return TrainingData(
        made_from.get("name", directory.name),
        vocabulary,
        _open_split(directory, train, vocabulary),
        _open_split(directory, valid, vocabulary),
        made_from.get("language", "en"),
    )


_HOW = "make it: cloze encode CORPUS FOLDER"


def _open_split(directory: Path, name: str, vocabulary: Encoder) -> EncodedSplit:
    if not (directory / name).is_dir():
        there = sorted(p.name for p in directory.iterdir() if is_split(p))
        raise UserError(
            f"there is no split '{name}'",
            where=directory,
            fix=f"it has {', '.join(there) or 'none'}",
        )
    split = open_split(directory / name, vocabulary)
    if not len(split):
        raise UserError("this split has no questions", where=directory / name)
    return split
