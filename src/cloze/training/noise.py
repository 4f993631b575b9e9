"""Training questions made harder, so that a reader learns more than its corpus asks of it.

Some are put to another article of their batch, which does not answer them; there, the reader is to
be sure of nobody (`cloze.training.objective`). In some, words are replaced by others that are near
in meaning (`cloze.training.near_words`), since a question need not use the words of its article.
Some lose a part of their words, which are then read as unknown ones, so that the others must do.

What is drawn is a pure function of (seed, epoch, question, place in the question), whoever makes
the batch, and when.
"""

from dataclasses import dataclass, replace

import numpy as np

from cloze.randomness import mix
from cloze.readers.encoded import EncodedSplit
from cloze.readers.encoder import Encoder
from cloze.readers.vocabulary import FIRST_MARKER
from cloze.training.near_words import NearWords
from cloze.training.settings import NoiseSettings

STRANGERS = 4  # names that a question may have and that the wrong article does not mention
# What lots are drawn for.
_WRONG, _NAMES, _POORER, _WORDS, _REPHRASED, _REPLACED, _NEAR = range(1, 8)


@dataclass(frozen=True)
class Noise:
    settings: NoiseSettings
    seed: int
    pool: int  # markers
    unknown: int  # the id of an unknown word
    near: NearWords | None = None  # needed for rephrased questions

    @classmethod
    def of(
        cls,
        settings: NoiseSettings,
        seed: int,
        vocabulary: Encoder,
        near: NearWords | None = None,
    ) -> "Noise | None":
        """None if there is to be no noise."""
        if not settings.wrong_articles and not settings.poorer_questions and near is None:
            return None
        return cls(settings, seed, vocabulary.pool, max(vocabulary.unknown_ids), near)

    def articles(self, split: EncodedSplit, questions: np.ndarray, epoch: int) -> np.ndarray:
        """The article that each question of a batch is put to, nearly always its own."""
        own = split.question_document[questions]
        lots = self._lots(_WRONG, epoch, split.question_keys[questions])
        return np.where(lots < self.settings.wrong_articles, others(own), own)

    def put(
        self, split: EncodedSplit, questions: np.ndarray, articles: np.ndarray, epoch: int
    ) -> EncodedSplit:
        """The questions, put to these articles, in their own words."""
        made = split.some(articles, questions)
        wrong = articles != split.question_document[questions]
        more = np.minimum(made.document_entities + STRANGERS, self.pool)
        made = replace(
            made,
            document_entities=np.where(wrong, more, made.document_entities).astype(np.int32),
            question_document=np.arange(len(questions), dtype=np.int32),
            question_answer=np.where(wrong, -1, made.question_answer).astype(np.int32),
        )
        return replace(made, question_tokens=self._renamed(made, _owners(made), wrong, epoch))

    @property
    def rewords(self) -> bool:
        return self.near is not None or self.settings.poorer_questions > 0

    def reworded(self, made: EncodedSplit, epoch: int) -> EncodedSplit:
        """The questions in as many words, some of which are others or unknown."""
        owner = _owners(made)
        if self.near is not None:
            made = replace(made, question_tokens=self._rephrased(made, owner, epoch, self.near))
        return replace(made, question_tokens=self._with_fewer_words(made, owner, epoch))

    def _renamed(
        self, made: EncodedSplit, owner: np.ndarray, wrong: np.ndarray, epoch: int
    ) -> np.ndarray:
        """The names of a question mean nothing in another article: any of its names will do, and
        now and then one that it does not mention. owner: the question of each token"""
        tokens = made.question_tokens.copy()
        is_marker = (tokens >= FIRST_MARKER) & (tokens < FIRST_MARKER + self.pool)
        changed = np.flatnonzero(is_marker & wrong[owner])
        whose = owner[changed]
        lots = self._lots(_NAMES, epoch, made.question_keys[whose], tokens[changed])
        tokens[changed] = FIRST_MARKER + (lots * made.document_entities[whose]).astype(np.int32)
        return tokens

    def _rephrased(
        self, made: EncodedSplit, owner: np.ndarray, epoch: int, near: NearWords
    ) -> np.ndarray:
        tokens, keys, place = made.question_tokens.copy(), made.question_keys, _places(made, owner)
        rephrased = self._lots(_REPHRASED, epoch, keys) < self.settings.rephrased_questions
        replaced = self._lots(_REPLACED, epoch, keys[owner], place) < self.settings.replaced_words
        which = np.flatnonzero(rephrased[owner] & replaced & near.replaceable(tokens, owner))
        lots = self._lots(_NEAR, epoch, keys[owner[which]], place[which])
        tokens[which] = near.instead_of(tokens[which], lots)
        return tokens

    def _with_fewer_words(self, made: EncodedSplit, owner: np.ndarray, epoch: int) -> np.ndarray:
        tokens, keys, place = made.question_tokens, made.question_keys, _places(made, owner)
        poorer = self._lots(_POORER, epoch, keys) < self.settings.poorer_questions
        lost = self._lots(_WORDS, epoch, keys[owner], place) < self.settings.lost_words
        is_word = tokens >= FIRST_MARKER + self.pool
        return np.where(is_word & poorer[owner] & lost, self.unknown, tokens).astype(tokens.dtype)

    def _lots(
        self, what: int, epoch: int, keys: np.ndarray, place: np.ndarray | None = None
    ) -> np.ndarray:
        """A number from 0 to 1 for each question, or for each place in one."""
        stream = mix(np.asarray([self.seed], np.uint64))
        for counter in (what, epoch):
            stream = mix(stream + np.uint64(counter))
        drawn = mix(keys ^ stream)
        if place is not None:
            drawn = mix(drawn + place.astype(np.uint64))
        return np.asarray((drawn >> np.uint64(11)) * 2.0**-53)


def _owners(made: EncodedSplit) -> np.ndarray:
    """The question of each token."""
    lengths = np.diff(made.question_offsets)
    return np.repeat(np.arange(len(lengths)), lengths)


def _places(made: EncodedSplit, owner: np.ndarray) -> np.ndarray:
    """Where in its question each token stands."""
    return np.asarray(np.arange(len(owner)) - made.question_offsets[owner])


def others(articles: np.ndarray) -> np.ndarray:
    """For each article of a batch the next that is another, going round; itself if there is none.

    >>> others(np.array([7, 7, 8, 9])).tolist(), others(np.array([3, 3])).tolist()
    ([8, 8, 9, 7], [3, 3])
    """
    found = articles.copy()
    for shift in range(1, len(articles)):
        alike = found == articles
        if not alike.any():
            break
        found[alike] = np.roll(articles, -shift)[alike]
    return found
