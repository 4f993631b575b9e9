"""The order of training: a pure function of (seed, step), random but with little padding.

Each epoch shuffles the questions, cuts them into groups of several batches, sorts each group by
length, cuts it into batches and shuffles the batches. So a batch holds documents of similar length,
any two questions may meet, and the batch of any step can be found without running the steps before
it: a resumed run, a worker or a rank simply asks for its own.

With a limit of tokens, batches are cut from questions of nearly the same length instead, and long
texts make smaller batches: a GPU then gets the same amount of work in every step.

A curriculum may start with documents that are short or have few entities; its stages are part of
the same function of the step.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cloze.errors import UserError
from cloze.randomness import generator

GROUP = 64  # batches sorted together: 96 % real tokens at CNN lengths, see `real_share`
SIMILAR = 64  # tokens by which texts in one batch may differ, if a batch is limited in tokens


@dataclass(frozen=True, slots=True)
class Stage:
    """The first `steps` of training see only documents within these limits."""

    steps: int
    tokens: int | None = None
    entities: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a step: batch `position` of the `batches` in epoch `epoch`."""

    epoch: int
    position: int
    batches: int
    stage: int


class Order:
    def __init__(
        self,
        lengths: np.ndarray,  # of what each question's reader has to read, in tokens
        entities: np.ndarray,  # of each question's document
        *,
        batch: int,
        seed: int,
        tokens: int | None = None,  # in a batch; then `batch` does not count
        curriculum: Sequence[Stage] = (),
        group: int = GROUP,
    ) -> None:
        self.lengths, self.batch, self.seed, self.group = lengths, batch, seed, group
        self.tokens = tokens
        self.members: list[np.ndarray] = []  # the questions of each stage; the last has all
        self.batches: list[int] = []  # in a pass over the questions of each stage
        self.first_step: list[int] = []
        self.first_epoch: list[int] = []
        step = epoch = 0
        for stage in (*curriculum, None):
            chosen = _chosen(stage, lengths, entities)
            self.members.append(chosen)
            self.batches.append(self._count(chosen))
            self.first_step.append(step)
            self.first_epoch.append(epoch)
            if stage is not None:
                step += stage.steps
                epoch += -(-stage.steps // self.batches[-1])
        self._shuffles: dict[int, list[np.ndarray]] = {}  # of the last two epochs asked for

    def _count(self, chosen: np.ndarray) -> int:
        """How many batches a pass over these questions has, the same in every epoch."""
        if self.tokens is None:
            return -(-len(chosen) // self.batch)
        return sum(-(-len(alike) // size) for alike, size in self._alike(chosen))

    def _alike(self, questions: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
        """Questions of similar length, in the order given, and how many of them make a batch."""
        assert self.tokens is not None
        kind = -(-self.lengths[questions] // SIMILAR)
        for length in np.unique(kind).tolist():
            yield questions[kind == length], max(1, self.tokens // max(SIMILAR * length, 1))

    def locate(self, step: int) -> Place:
        """Epochs are counted across all stages, so an example never gets the same markers twice."""
        stage = int(np.searchsorted(self.first_step, step, side="right")) - 1
        batches = self.batches[stage]
        epoch, position = divmod(step - self.first_step[stage], batches)
        return Place(self.first_epoch[stage] + epoch, position, batches, stage)

    def questions(self, step: int) -> np.ndarray:
        """The questions of a step's batch."""
        place = self.locate(step)
        shuffled = self._shuffles.get(place.epoch)
        if shuffled is None:
            shuffled = self._shuffle(place.epoch, self.members[place.stage])
            # Two, because batches made ahead may belong to the next epoch.
            self._shuffles = dict([*self._shuffles.items()][-1:]) | {place.epoch: shuffled}
        return shuffled[place.position]

    def read_before(self, step: int) -> int:
        """How many questions the steps before this one read, some of them more than once."""
        total, ends = 0, [*self.first_step[1:], step]
        for stage, (first, end) in enumerate(zip(self.first_step, ends, strict=True)):
            epochs, rest = divmod(max(min(step, end) - first, 0), self.batches[stage])
            members = self.members[stage]
            total += epochs * len(members)
            if rest:
                begun = self._shuffle(self.first_epoch[stage] + epochs, members)
                total += sum(map(len, begun[:rest]))
        return total

    def steps_to_end_of_epoch(self, epochs: int) -> int:
        """How many steps `epochs` passes over all questions take, after the curriculum."""
        return self.first_step[-1] + epochs * self.batches[-1]

    def _shuffle(self, epoch: int, chosen: np.ndarray) -> list[np.ndarray]:
        """The batches of an epoch."""
        draw = generator(self.seed, _ORDER, epoch)
        shuffled = chosen[draw.permutation(len(chosen))]
        if self.tokens is not None:
            cut = [part for pair in self._alike(shuffled) for part in _cut(*pair)]
            return [cut[k] for k in draw.permutation(len(cut))]
        groups = np.arange(len(shuffled)) // (self.group * self.batch)
        cut = _cut(shuffled[np.lexsort((self.lengths[shuffled], groups))], self.batch)
        # Only the last batch may be short: it keeps its place when the batches are shuffled.
        whole = len(shuffled) // self.batch
        return [cut[k] for k in draw.permutation(whole)] + cut[whole:]


def _cut(questions: np.ndarray, size: int) -> list[np.ndarray]:
    return [questions[start : start + size] for start in range(0, len(questions), size)]


_ORDER = 1  # separates this stream from others with the same seed


def real_share(order: Order, steps: int) -> float:
    """The share of document tokens in the batches of an order that are not padding."""
    real = padded = 0
    for step in range(steps):
        lengths = order.lengths[order.questions(step)]
        real += int(lengths.sum())
        padded += int(lengths.max()) * len(lengths)
    return real / padded


def _chosen(stage: Stage | None, lengths: np.ndarray, entities: np.ndarray) -> np.ndarray:
    kept = np.ones(len(lengths), bool)
    if stage is not None and stage.tokens is not None:
        kept &= lengths <= stage.tokens
    if stage is not None and stage.entities is not None:
        kept &= entities <= stage.entities
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        what = "there are no questions to train on"
        if stage is not None:
            what = f"no document has at most {stage.tokens} tokens and {stage.entities} entities"
        raise UserError(what, fix="widen the curriculum's limits" if stage else None)
    return chosen
