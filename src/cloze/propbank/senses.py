"""Which words evoke a frame, and which sense each has.

The choice for a predicate is among the rolesets that its lemma had in PropBank's training part. A
lemma never seen there is traced to its verb (evacuation -> evacuate); if that was not seen either,
it gets its first sense, since most verbs have only one (defenestrate -> defenestrate.01).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cloze.propbank import derivation
from cloze.propbank.linear import Hashed

_MIX = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True)
class Choice:
    """Chooses a roleset for each predicate."""

    rolesets: tuple[str, ...]
    offered: Mapping[str, Sequence[int]]  # lemma -> its rolesets, the most frequent first
    rules: Mapping[str, str]  # endings rewritten, for a lemma never seen
    model: Hashed

    def choose(self, signs: np.ndarray, lemmas: Sequence[str], parts: Sequence[str]) -> list[str]:
        """`parts` holds the first letter of each predicate's tag: V, N or J."""
        bases = [
            lemma if lemma in self.offered else derivation.base(part, lemma, self.rules)
            for lemma, part in zip(lemmas, parts, strict=True)
        ]
        known = [self.offered.get(base, ()) for base in bases]
        bounds = np.cumsum([0] + [len(one) for one in known])
        classes = np.array([r for one in known for r in one], np.uint64)
        scores = self.model.scores(signs, classes, bounds)
        return [
            self.rolesets[one[int(scores[start:end].argmax())]] if one else f"{base}.01"
            for base, one, start, end in zip(bases, known, bounds, bounds[1:], strict=False)
        ]


def evoking(model: Hashed, signs: np.ndarray, lemmas: np.ndarray) -> np.ndarray:
    """Whether each word evokes a frame."""
    scores = model.scores(with_lemma(signs, lemmas), *_no_or_yes(len(signs)))
    verdict: np.ndarray = scores[1::2] > scores[0::2]
    return verdict


def with_lemma(signs: np.ndarray, lemmas: np.ndarray) -> np.ndarray:
    """Each sign by itself and together with the word's lemma."""
    joined = np.where(signs != 0, (signs ^ lemmas[:, None]) * _MIX, np.uint64(0))
    return np.concatenate([signs, joined], axis=1)


def _no_or_yes(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.tile(np.array([0, 1], np.uint64), rows), np.arange(0, 2 * rows + 1, 2)


def train_evoking(
    signs: np.ndarray, lemmas: np.ndarray, evokes: np.ndarray, random: np.random.Generator
) -> Hashed:
    classes, bounds = _no_or_yes(len(signs))
    right = bounds[:-1] + evokes
    return Hashed.trained(with_lemma(signs, lemmas), classes, bounds, right, random=random, bits=18)


def train_choice(
    signs: np.ndarray,
    lemmas: Sequence[str],
    parts: Sequence[str],
    rolesets: Sequence[str],
    random: np.random.Generator,
) -> Choice:
    names = tuple(sorted(set(rolesets)))
    number = {name: k for k, name in enumerate(names)}
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for lemma, roleset in zip(lemmas, rolesets, strict=True):
        seen[lemma][number[roleset]] += 1
    offered = {
        lemma: [r for r, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        for lemma, counts in sorted(seen.items())
    }
    known = [offered[lemma] for lemma in lemmas]
    bounds = np.cumsum([0] + [len(one) for one in known])
    classes = np.array([r for one in known for r in one], np.uint64)
    places = [one.index(number[r]) for one, r in zip(known, rolesets, strict=True)]
    model = Hashed.trained(signs, classes, bounds, bounds[:-1] + places, random=random, bits=20)
    verbs = (name.rsplit(".", 1)[0].split("_")[0] for name in rolesets)
    rules = derivation.learn(zip(parts, lemmas, verbs, strict=True))
    return Choice(names, offered, rules, model)
