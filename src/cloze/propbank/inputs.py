"""What the argument tagger looks up: every word, label, path and sense as a number."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cloze.propbank.analysis import Analysis, lookup
from cloze.propbank.relations import Relations, relations
from cloze.propbank.words import Words


@dataclass(frozen=True, slots=True)
class Inputs:
    """Numbers into the tagger's tables; 0 is something never seen in training."""

    row: np.ndarray  # [tokens] of the word vectors
    word: np.ndarray  # [tokens] of the learned embeddings
    tag: np.ndarray  # [tokens]
    dep: np.ndarray  # [tokens]
    head: np.ndarray  # [tokens] a token
    predicate: np.ndarray  # [predicates] a token
    lemma: np.ndarray  # [predicates]
    roleset: np.ndarray  # [predicates]
    group: np.ndarray  # [pairs]
    pairs: Relations


@dataclass(frozen=True, slots=True)
class Vocabulary:
    words: np.ndarray  # uint64, sorted
    lemmas: np.ndarray  # uint64, sorted
    groups: np.ndarray  # int64, sorted codes
    rolesets: tuple[str, ...]
    labels: tuple[str, ...]  # of arguments

    def inputs(
        self, predicates: np.ndarray, rolesets: Sequence[str], text: Analysis, words: Words
    ) -> Inputs:
        pairs = relations(predicates, text)
        number = {name: k for k, name in enumerate(self.rolesets, 1)}
        return Inputs(
            row=words.rows_of(text.lower),
            word=_place(text.lower, self.words),
            tag=text.tag,
            dep=text.dep,
            head=text.head,
            predicate=predicates,
            lemma=_place(text.lemma[predicates], self.lemmas),
            roleset=np.array([number.get(name, 0) for name in rolesets], np.int64),
            group=_place(pairs.code, self.groups),
            pairs=pairs,
        )


def _place(values: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return lookup(values, keys, np.arange(1, len(keys) + 1))


def collect(
    text: Analysis,
    predicates: np.ndarray,
    rolesets: Sequence[str],
    labels: Iterable[str],
    *,
    least: int = 3,
) -> Vocabulary:
    """The vocabulary of a training part: what occurs often enough to learn something about."""
    pairs = relations(predicates, text)
    owner = np.repeat(np.arange(len(predicates)), np.diff(pairs.bounds))
    _, first = np.unique(pairs.code * len(predicates) + owner, return_index=True)
    once = pairs.code[first]  # a group counts once for each predicate
    many = Counter(labels)
    senses = Counter(rolesets)
    return Vocabulary(
        words=_frequent(text.lower, least),
        lemmas=_frequent(text.lemma[predicates], 2),
        groups=_frequent(once, least + 1),
        rolesets=tuple(sorted(name for name, count in senses.items() if count >= least)),
        labels=tuple(sorted(name for name, count in many.items() if count >= 100)),
    )


def _frequent(values: np.ndarray, least: int) -> np.ndarray:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[counts >= least]
