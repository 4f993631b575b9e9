"""Words near in meaning, with which the questions of training are put in other words.

Two words are near if their embeddings are: the cosine between them, after the mean of all pieces is
taken away, is at least `LEAST`. Each word has the `MOST` nearest of another stem, or fewer. The
embeddings are those of the reader that training starts from, which has learnt them.

Only words that are one piece take part. Those that hold a sentence together, numbers, days and
months do not: with another of them the question would be another one.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.errors import UserError
from cloze.names.language import Language
from cloze.progress import track
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.pieces import Pieces

LEAST = 0.31  # below, words have little more in common than their part of speech
MOST = 4  # of the words near one
SEEN = 24  # of the nearest words, among which those of the same stem are passed over
SHORTEST = 3  # letters
ROWS = 512  # words that are compared with all others at once: the cosines of all need 4 GB


@dataclass(frozen=True)
class NearWords:
    near: np.ndarray  # ids, the nearest first. int32 [ids, MOST]
    count: np.ndarray  # how many of them there are. int64 [ids]
    goes_on: np.ndarray  # pieces that go on with a word. bool [ids]

    @classmethod
    def of(cls, vocabulary: Pieces, embeddings: Tensor, language: Language) -> Self:
        """From the embeddings of all ids, [ids, H]."""
        begun = vocabulary.beginnings
        made = cls(
            near=np.zeros((len(vocabulary), MOST), np.int32),
            count=np.zeros(len(vocabulary), np.int64),
            goes_on=np.arange(len(vocabulary)) >= vocabulary.first_word,
        )
        made.goes_on[list(begun)] = False
        kept = _kept_as_they_are(language)
        words = {number: word for number, word in begun.items() if _is_plain(word, kept)}
        made._fill(words, embeddings[vocabulary.first_word :], vocabulary.first_word)
        return made

    def _fill(self, words: dict[int, str], embeddings: Tensor, first: int) -> None:
        ids = np.asarray(sorted(words), np.int64)
        vectors = embeddings.detach().cpu().float()
        vectors = F.normalize(vectors[ids - first] - vectors.mean(0), dim=1)
        blocks = range(0, len(ids), ROWS)
        for begin in track(blocks, "words near in meaning", total=len(blocks)):
            cosines, found = _nearest(vectors, begin)
            for own, others, close in zip(ids[begin:], ids[found], cosines, strict=False):
                near = [
                    other
                    for other in others[close >= LEAST]
                    if not same_stem(words[own], words[other])
                ][:MOST]
                self.near[own, : len(near)], self.count[own] = near, len(near)

    def replaceable(self, tokens: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Which tokens are whole words that have a near one; owner: the question of each token."""
        goes_on = np.append(self.goes_on[tokens[1:]] & (owner[1:] == owner[:-1]), [False])
        return np.asarray((self.count[tokens] > 0) & ~goes_on[: len(tokens)])

    def instead_of(self, tokens: np.ndarray, lots: np.ndarray) -> np.ndarray:
        """One of the words near each of these, by a number from 0 to 1."""
        return np.asarray(self.near[tokens, (lots * self.count[tokens]).astype(np.int64)])


def near_words(
    vocabulary: Encoder, network: Network, language: Language, *, learnt: bool
) -> NearWords:
    """As the network's embeddings have them, if they were learnt before."""
    rows = network.read_rows()
    if not isinstance(vocabulary, Pieces):
        what = "only a reader of word pieces can replace words by others"
    elif not rows or not learnt:
        what = "only a reader that has learnt something knows which words are near in meaning"
    else:
        return NearWords.of(vocabulary, rows[0], language)
    fix = "give start_from= a reader of word pieces, or leave it out"
    raise UserError(what, where="noise.rephrased_questions", fix=fix)


def _nearest(vectors: Tensor, begin: int) -> tuple[np.ndarray, np.ndarray]:
    """The cosines of the words nearest to each of a block, and which they are. [ROWS, SEEN]"""
    rows = torch.arange(begin, min(begin + ROWS, len(vectors)))
    cosines = vectors[rows] @ vectors.t()
    cosines[rows - begin, rows] = -1.0  # itself
    cosines, found = cosines.topk(min(SEEN, len(vectors)), 1)
    return cosines.numpy(), found.numpy()


def _kept_as_they_are(language: Language) -> frozenset[str]:
    small = language.articles | language.openers | language.common
    listed = small | language.days_and_months | language.numerals
    return frozenset(word.lower() for word in listed)


def _is_plain(word: str, kept: frozenset[str]) -> bool:
    return len(word) >= SHORTEST and word.isalpha() and word.islower() and word not in kept


def same_stem(one: str, other: str) -> bool:
    """Whether one of the words begins as the other does, without an ending of two letters.

    >>> same_stem("attack", "attacked"), same_stem("attack", "assault"), same_stem("car", "cars")
    (True, False, True)
    """
    return one.startswith(_stem(other)) or other.startswith(_stem(one))


def _stem(word: str) -> str:
    return word[: max(3, min(5, len(word) - 2))]
