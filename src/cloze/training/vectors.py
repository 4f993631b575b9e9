"""Start the embeddings of words from vectors that were learnt elsewhere, such as GloVe's.

    the 0.418 0.24968 -0.41242 ...

A line has a word and its numbers; the file may be compressed, and may begin with a line that counts
words and numbers, as word2vec writes it. A word of the vocabulary that has no vector as it is
written takes that of its lower-case form; one that has none keeps what was drawn, and so do the
markers.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from cloze.compressed import lines
from cloze.errors import UserError
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.vocabulary import Vocabulary


@torch.no_grad()
def start_from_vectors(path: Path, network: Network, vocabulary: Encoder) -> int:
    """Copy the vectors of known words into the network's embeddings; returns how many."""
    rows = network.read_rows()
    if not isinstance(vocabulary, Vocabulary) or not rows:
        raise UserError("word vectors are for readers of words", where=path, fix="drop vectors=")
    wanted: dict[str, list[int]] = {}
    for number, word in enumerate(vocabulary.words, start=vocabulary.first_word):
        for spelling in {word, word.lower()}:
            wanted.setdefault(spelling, []).append(number)
    exact = set()
    found: set[int] = set()
    for word, vector in _vectors(path, rows[0].shape[1], wanted):
        for number in wanted[word]:
            as_written = vocabulary.words[number - vocabulary.first_word] == word
            if as_written or number not in exact:
                rows[0][number] = torch.from_numpy(vector)
                found.add(number)
            if as_written:
                exact.add(number)
    if not found:
        raise UserError("has a vector for none of the vocabulary's words", where=path)
    return len(found)


def _vectors(
    path: Path, size: int, wanted: dict[str, list[int]]
) -> Iterator[tuple[str, np.ndarray]]:
    for number, line in enumerate(lines(path), start=1):
        word, *values = line.decode("utf-8", errors="replace").rstrip().split(" ")
        if number == 1 and len(values) == 1:
            continue  # the count of words and numbers
        if len(values) != size:
            raise UserError(
                f"has {len(values)} numbers, the reader's embeddings {size}",
                where=f"{path}:{number}",
                fix=f"set reader.embedding_size={len(values)}, or give another file",
            )
        if word in wanted:
            yield word, _numbers(values, f"{path}:{number}")


def _numbers(values: list[str], where: str) -> np.ndarray:
    try:
        vector = np.asarray(values, np.float32)
    except ValueError:
        raise UserError("is not a word and its numbers", where=where) from None
    if not np.isfinite(vector).all():
        raise UserError("holds a number that is not finite", where=where)
    return vector
