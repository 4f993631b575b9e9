"""How well clusters of mentions agree with the truth: mentions, B³ and MUC.

Clusters come as a mapping from each mention to the number of its cluster.

    truth  {A: 0, B: 0, C: 0, D: 1}      said  {A: 0, B: 0, C: 1, D: 1}

For every mention B³ asks how much of its cluster is right and how much of the true one is there;
MUC counts the links that are missing or wrong. A mention that only one side has is alone on the
other.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

M = TypeVar("M", bound=Hashable)
Clustering = Mapping[M, int]


class Score(NamedTuple):
    """Counts that add up over documents, for precision and for recall."""

    right: float
    said: float
    found: float
    true: float

    @property
    def precision(self) -> float:
        return self.right / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def plus(self, other: "Score") -> "Score":
        return Score(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Score(0, 0, 0, 0)


def mention_score(truth: Clustering[M], said: Clustering[M]) -> Score:
    right = len(truth.keys() & said.keys())
    return Score(right, len(said), right, len(truth))


def b_cubed(truth: Clustering[M], said: Clustering[M]) -> Score:
    """For each mention, the share of its cluster that belongs together with it."""
    pairs = Counter((truth[mention], said[mention]) for mention in truth.keys() & said.keys())
    sizes_true, sizes_said = Counter(truth.values()), Counter(said.values())
    shared = {pair: count * count for pair, count in pairs.items()}
    return Score(
        right=sum(count / sizes_said[s] for (_, s), count in shared.items()),
        said=len(said),
        found=sum(count / sizes_true[t] for (t, _), count in shared.items()),
        true=len(truth),
    )


def muc(truth: Clustering[M], said: Clustering[M]) -> Score:
    """Of the links that hold each cluster together, those that the other side has too."""
    right, links_said = _links(said, truth)
    found, links_true = _links(truth, said)
    return Score(right, links_said, found, links_true)


def _links(clusters: Clustering[M], other: Clustering[M]) -> tuple[int, int]:
    """The links that `other` has too, and all: a cluster in p pieces keeps size - p of size - 1."""
    members: dict[int, list[M]] = {}
    for mention, cluster in clusters.items():
        members.setdefault(cluster, []).append(mention)
    kept = links = 0
    for mentions in members.values():
        pieces = {other[m] for m in mentions if m in other}
        alone = sum(m not in other for m in mentions)
        kept += len(mentions) - len(pieces) - alone
        links += len(mentions) - 1
    return kept, links
