"""Texts as the tagger's network reads them: pieces, each with the casing of its word.

This is all that the CPU has to do before the network, so that workers can do it for a GPU: nothing
here imports PyTorch.
"""

import atexit
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import lru_cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cloze.names.language import NEWEST_RULES, load_language
from cloze.names.tokens import tokenise
from cloze.readers.pieces import Pieces
from cloze.readers.tagging.casing import casing
from cloze.text import Spacing

MOST_WORDS = 200_000  # whose pieces are remembered
_AHEAD = 3  # chunks for each worker that are laid out before they are read


class Laid(NamedTuple):
    """A text's words and the pieces that they are cut into."""

    ids: np.ndarray  # of the pieces
    casing: np.ndarray  # of each piece's word
    first: np.ndarray  # where each word's first piece is
    starts: np.ndarray  # the characters [start, end) of each word
    ends: np.ndarray
    opening: np.ndarray  # which words open a paragraph


class Layout:
    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.language = load_language("en", NEWEST_RULES)
        self._known: dict[str, np.ndarray] = {}

    def __call__(self, texts: Sequence[str]) -> list[Laid]:
        tokenised = [tokenise(text, self.language) for text in texts]
        self._learn({word for tokens in tokenised for word in tokens.words})
        found = []
        for tokens in tokenised:
            cut = [self._known[word] for word in tokens.words]
            counts = np.fromiter(map(len, cut), np.int64, len(cut))
            shapes = np.asarray(casing(tokens.words, tokens.spacing), np.int64)
            ids = np.concatenate(cut) if cut else np.zeros(0, np.int64)
            starts = np.asarray(tokens.starts, np.int64)
            lengths = np.fromiter(map(len, tokens.words), np.int64, len(cut))
            opening = np.asarray([Spacing.PARAGRAPH, *tokens.spacing])[:-1] == Spacing.PARAGRAPH
            first = np.cumsum(counts) - counts
            found.append(
                Laid(ids, np.repeat(shapes, counts), first, starts, starts + lengths, opening)
            )
        return found

    def _learn(self, words: set[str]) -> None:
        """Cut new words into pieces; the old ones are forgotten before they take much memory."""
        if len(self._known) > MOST_WORDS:
            self._known.clear()
        new = [word for word in words if word not in self._known]
        ids, counts = self.pieces.ids(new) if new else (np.zeros(0, np.int64), np.zeros(0, int))
        self._known |= dict(zip(new, np.split(ids, np.cumsum(counts)[:-1]), strict=False))


def chunks(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    coming = iter(texts)
    while chunk := list(islice(coming, size)):
        yield chunk


def laid_by_workers(texts: Iterable[list[str]], folder: Path, workers: int) -> Iterator[list[Laid]]:
    """Chunks of texts, laid out by other processes ahead of the one that reads them."""
    pool = _pool(folder, workers)
    coming: deque[Future[list[Laid]]] = deque()
    for chunk in texts:
        coming.append(pool.submit(_lay, chunk))
        if len(coming) > _AHEAD * workers:
            yield coming.popleft().result()
    while coming:
        yield coming.popleft().result()


@lru_cache(maxsize=1)
def _pool(folder: Path, workers: int) -> ProcessPoolExecutor:
    """Kept, since starting takes seconds. A process that uses a GPU must not be forked."""
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _open, (folder,))
    atexit.register(pool.shutdown)
    return pool


_layout: Layout | None = None  # a worker's own


def _open(folder: Path) -> None:
    global _layout
    _layout = Layout(Pieces.load(folder / Pieces.file))


def _lay(texts: list[str]) -> list[Laid]:
    assert _layout is not None
    return _layout(texts)
