"""The word distance baseline: the entity closest to the question's words.

The question's gap is placed on a mention of an entity. Every other word of the question then has a
place where it should be; its distance is how far from there the context has the same word (or
another mention of the same entity), at most m = 8. The score of an entity comes from its mention
with the smallest sum of distances.

    question  Tom Hanks is friends with X 's manager , Scooter Brown
    context   ... he is good friends with Scooter Brown , manager for Carly Rae Jepsen

With the gap on Carly Rae Jepsen, "friends" should be two words before her and "with" one; each is
four words farther left.

What the paper leaves open was decided by measuring on CNN's validation split; docs/baselines.md has
the figures. Punctuation is skipped as words of the question, but still counts as places in the
context. An entity that the question names is aligned with its own mentions, and so ranks below all
others as an answer. Ties go to the first mention.
"""

from collections.abc import Sequence

import numba
import numpy as np

from cloze.answering import Ranking, ranked
from cloze.baselines.baseline import Baseline
from cloze.document import Document, Question

FARTHEST = 8  # m, the largest distance that a word can add
NOWHERE = -1  # the number of a word that the context lacks


@numba.njit(cache=True)
def _least_sums(
    context: np.ndarray,
    query: np.ndarray,
    gap: int,
    mentions: np.ndarray,
    owners: np.ndarray,
    candidates: int,
    farthest: int,
) -> np.ndarray:
    """The smallest sum of distances over the mentions of each candidate."""
    least = np.full(candidates, farthest * len(query) + 1, np.int64)
    for k in range(len(mentions)):
        here = mentions[k]
        bound = least[owners[k]]
        total = 0
        for j in range(len(query)):
            if query[j] < NOWHERE or j == gap:
                continue
            place = here + j - gap
            distance = farthest
            if query[j] != NOWHERE:
                for step in range(farthest):
                    left, right = place - step, place + step
                    # The mention itself fills the gap: it is not a word of the question.
                    if 0 <= left < len(context) and context[left] == query[j] and left != here:
                        distance = step
                        break
                    if 0 <= right < len(context) and context[right] == query[j] and right != here:
                        distance = step
                        break
            total += distance
            if total >= bound:
                break
        least[owners[k]] = min(bound, total)
    return least


class WordDistance(Baseline):
    name = "Word distance model"
    options = ("farthest",)

    def __init__(self, farthest: int = FARTHEST) -> None:
        self.farthest = farthest

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        numbers: dict[str, int] = {}
        words = [numbers.setdefault(token, len(numbers)) for token in document.context.tokens]
        context = np.array(words, np.int32)
        places = document.context.mentions()
        markers = list(places)
        mentions = np.array([place for own in places.values() for place in own], np.int32)
        owners = np.repeat(np.arange(len(markers)), [len(own) for own in places.values()])
        answers = []
        for question in questions:
            tokens, gap = question.query.tokens, question.query.gap
            gap = gap if gap >= 0 else len(tokens)
            query = np.array([_number(token, numbers) for token in tokens], np.int32)
            sums = _least_sums(context, query, gap, mentions, owners, len(markers), self.farthest)
            named = np.isin(markers, list(question.query.mentions()))
            sums[named] += self.farthest * len(tokens) + 1
            answers.append(ranked(markers, (-sums).tolist()))
        return answers


def _number(token: str, numbers: dict[str, int]) -> int:
    """The context's number for a word; below NOWHERE for punctuation, which is skipped."""
    if not any(map(str.isalnum, token)):
        return NOWHERE - 1
    return numbers.get(token, NOWHERE)
