"""The vocabulary V: every word type, the marker pool, and a few special signs.

    id 0                 padding, never seen by a network
    id 1                 unknown: a word that is not in the vocabulary
    id 2                 @placeholder
    id 3                 |||, between document and query
    ids 4 ... 4+P-1      @entity0 ... @entity{P-1}, the pool of P markers
    the ids after those  words, the most frequent first, ties in alphabetical order

It is saved as text, so that a person can read what a model knows: two header lines, then one word
and its count per line.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cloze.errors import UserError
from cloze.files import write_text
from cloze.text import MARKER, PLACEHOLDER, marker_of

if TYPE_CHECKING:
    from cloze.corpus.store import Corpus

PADDING, UNKNOWN, GAP, DELIMITER, FIRST_MARKER = 0, 1, 2, 3, 4
DELIMITER_TOKEN = "|||"
SPECIAL = ("<padding>", "<unknown>", PLACEHOLDER, DELIMITER_TOKEN)
HEAD = "# cloze vocabulary, format 1"


class Vocabulary:
    """Words with their counts, and the number of markers.

    >>> v = Vocabulary({"the": 9, "a": 4, "zebra": 4, "rare": 1}, pool=2, minimum_count=2)
    >>> len(v), [v.token(i) for i in range(4, 9)]
    (9, ['@entity0', '@entity1', 'the', 'a', 'zebra'])
    >>> v.id("zebra"), v.id("rare"), v.id("@placeholder")
    (8, 1, 2)
    """

    file: ClassVar[str] = "vocabulary.txt"
    whole: ClassVar[bool] = True
    unknown_ids: ClassVar[frozenset[int]] = frozenset([UNKNOWN])

    def __init__(
        self,
        counts: dict[str, int],
        pool: int,
        *,
        minimum_count: int = 1,
        maximum_words: int | None = None,
    ) -> None:
        order = sorted(
            (word for word, count in counts.items() if count >= minimum_count and _is_word(word)),
            key=lambda word: (-counts[word], word),
        )[:maximum_words]
        self.words = order
        self.counts = [counts[word] for word in order]
        self.pool = pool

    @classmethod
    def from_corpus(
        cls,
        corpus: "Corpus",
        split: str = "train",
        *,
        pool: int = 0,
        minimum_count: int = 1,
        maximum_words: int | None = None,
    ) -> "Vocabulary":
        """Count the words in a split's documents and questions, each stored text once.

        The pool grows to the largest number of entities in a document of any split.
        """
        counts: Counter[str] = Counter()
        for documents, questions in corpus.shards(split):
            add_words(counts, documents, questions)
        pool = max(pool, most_entities(corpus), 1)
        return cls(dict(counts), pool, minimum_count=minimum_count, maximum_words=maximum_words)

    def __len__(self) -> int:
        return self.first_word + len(self.words)

    @property
    def first_word(self) -> int:
        return FIRST_MARKER + self.pool

    @property
    def described(self) -> str:
        return f"{len(self.words):,} words"

    @cached_property
    def _id_of(self) -> dict[str, int]:
        """The id of each token except the markers."""
        ids = {word: self.first_word + k for k, word in enumerate(self.words)}
        return ids | {PLACEHOLDER: GAP, DELIMITER_TOKEN: DELIMITER}

    def id(self, token: str) -> int:
        """The id of a word, or of the marker @entityN taken literally as pool member N."""
        marker = marker_of(token)
        if marker >= 0:
            return FIRST_MARKER + marker if marker < self.pool else UNKNOWN
        return self._id_of.get(token, UNKNOWN)

    def ids(self, types: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The ids of words, one each."""
        ids = (self._id_of.get(word, UNKNOWN) for word in types)
        return np.fromiter(ids, np.int64, len(types)), np.ones(len(types), np.int64)

    def token(self, number: int) -> str:
        if number < FIRST_MARKER:
            return SPECIAL[number]
        if number < self.first_word:
            return f"{MARKER}{number - FIRST_MARKER}"
        return self.words[number - self.first_word]

    @cached_property
    def text(self) -> str:
        """The file as it is saved."""
        head = f"{HEAD}\n# {self.pool} markers, {len(self.words)} words with their counts\n"
        lines = (f"{w}\t{c}\n" for w, c in zip(self.words, self.counts, strict=True))
        return head + "".join(lines)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def save(self, path: Path) -> None:
        write_text(path, self.text)

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        try:
            lines = Path(path).read_bytes().decode("utf-8").split("\n")
        except FileNotFoundError:
            raise UserError("no such vocabulary file", where=path) from None
        except UnicodeDecodeError as problem:
            raise UserError(f"is not UTF-8 text ({problem})", where=path) from None
        if lines[0] != HEAD:
            raise UserError(f"is not a vocabulary: its first line is not '{HEAD}'", where=path)
        pool, size = _second_line(lines[1] if len(lines) > 1 else "", path)
        if lines.pop() != "" or len(lines) != size + 2:
            raise UserError(
                f"its header promises {size:,} words, but {max(len(lines) - 2, 0):,} lines follow",
                where=path,
                fix="copy the file again",
            )
        vocabulary = cls({}, pool)
        for number, line in enumerate(lines[2:], start=3):
            word, tab, count = line.rpartition("\t")
            if not tab or not count.isdecimal() or len(count) > 18 or not _is_word(word):
                raise UserError("is not a word, a tab and a count", where=f"{path}:{number}")
            vocabulary.words.append(word)
            vocabulary.counts.append(int(count))
        if len(set(vocabulary.words)) != size:
            raise UserError("holds the same word twice", where=path)
        return vocabulary


def _is_word(token: str) -> bool:
    """Neither one of our special signs nor something that a line of the file cannot hold."""
    return token not in SPECIAL and token != "" and "\n" not in token and marker_of(token) < 0


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 12  # a longer one may be too long for Python


def _second_line(line: str, path: Path) -> tuple[int, int]:
    parts = line.split()
    if len(parts) == 8 and parts[0] == "#" and all(map(_is_number, (parts[1], parts[3]))):
        return int(parts[1]), int(parts[3])
    raise UserError("the second line does not say how many markers and words", where=path)


def add_words(counts: Counter[str], *paths: Path) -> None:
    """Count the tokens in some files of a corpus."""
    from cloze.readers.columns import token_columns

    for path in paths:
        for columns in token_columns(path):
            found = np.bincount(columns.codes, minlength=len(columns.types)).tolist()
            counts.update(dict(zip(columns.types, found, strict=True)))


def most_entities(corpus: "Corpus") -> int:
    """The largest number of entities in a document of any split, which is what the pool needs."""
    from cloze.readers.columns import entity_counts

    shards = (documents for split in corpus.splits for documents, _ in corpus.shards(split))
    return max((count for path in shards for count in entity_counts(path)), default=0)
