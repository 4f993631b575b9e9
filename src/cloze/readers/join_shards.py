"""The arrays of shards joined into those of a split."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from cloze.builder.sharded.records import bring_all
from cloze.builder.sharded.stores import Store
from cloze.corpus.store import Corpus
from cloze.files import read_json, whole_directory
from cloze.progress import track
from cloze.readers.encode_split import new_arrays, write_ids, write_meta
from cloze.readers.encoded import IDS, EncodedSplit
from cloze.readers.encoder import Encoder
from cloze.readers.growing import GrowingArray


def join_split(
    corpus: Corpus, store: Store, split: str, encoder: Encoder, directory: Path
) -> EncodedSplit:
    names = [documents.stem for documents, _ in corpus.shards(split)]
    beside = TemporaryDirectory(prefix=f".{directory.name}-", dir=directory.parent)
    with whole_directory(directory, overwrite=True) as temporary, beside as parts:
        counts = _join_arrays(store, names, Path(parts), encoder, temporary)
        write_meta(temporary, corpus, split, encoder, counts)
    return EncodedSplit.open(directory, encoder)


def _join_arrays(
    store: Store, names: list[str], parts: Path, encoder: Encoder, directory: Path
) -> tuple[int, int]:
    documents: list[str] = []
    questions: list[str] = []
    with new_arrays(directory, encoder) as write:
        brought = zip(names, bring_all(store, names, parts), strict=True)
        for name, _ in track(brought, "joining", total=len(names), unit="shards"):
            _append(write, parts / name, len(documents))
            ids = read_json(parts / name / IDS)
            documents += ids["documents"]
            questions += ids["questions"]
            for path in (parts / name).iterdir():
                path.unlink()
    return write_ids(directory, documents, questions)


def _append(write: dict[str, GrowingArray], part: Path, documents_before: int) -> None:
    for name, array in write.items():
        values = np.load(part / f"{name}.npy", allow_pickle=False)
        if name.endswith("_offsets"):
            array.append_lengths(np.diff(values))
        else:
            array.append(values + documents_before if name == "question_document" else values)
