"""Batches prepared ahead of the steps that need them, by threads beside the one that trains.

A step's batch is a pure function of the step: `Order` says which questions it has, and the kind's
`collate` draws their markers from (seed, epoch, question). So it does not matter which thread makes
it, or when.

    feed = Feed(source.batch, device, threads=2)
    for step, batch in feed.over(range(0, 100)):
        ...
    feed.waited                # seconds that the device spent waiting for data
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from cloze.readers.batch import Batch
from cloze.readers.encoded import EncodedSplit
from cloze.readers.registry import Collate
from cloze.training.noise import Noise
from cloze.training.order import Order

RUN_AHEAD = 2  # steps that may be queued on a GPU before the host waits for it


class TrainingBatches:
    """The batch of any training step, or one rank's share of it, in one or several parts.

    `collate` is the kind's, with seed and pool already bound.
    """

    def __init__(
        self,
        split: EncodedSplit,
        order: Order,
        collate: Collate,
        *,
        rank: int = 0,
        ranks: int = 1,
        parts: int = 1,
        noise: Noise | None = None,
        unchanged: bool = False,  # keep the questions before noise too, for a teacher
    ) -> None:
        self.split, self.order, self.collate = split, order, collate
        self.rank, self.ranks, self.parts = rank, ranks, parts
        self.noise = noise
        self.unchanged = unchanged and noise is not None and noise.rewords

    def __getstate__(self) -> dict[str, Any]:
        """A worker maps the arrays itself: a copy of the corpus might not fit into its memory."""
        on_disk = self.split.directory
        return self.__dict__ | {"split": self.split if on_disk is None else on_disk}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if isinstance(self.split, Path):
            self.split = EncodedSplit.open(self.split)

    def questions(self, step: int, part: int = 0) -> np.ndarray:
        """Every R-th question for R ranks and parts, so that all of them get similar lengths."""
        return self._own(self.order.questions(step), part)

    def _own(self, all_of_it: np.ndarray, part: int) -> np.ndarray:
        own = all_of_it[self._first(part) :: self.ranks * self.parts]
        # Who is left without a question reads one that another has; `share` gives it no weight.
        return own if len(own) else all_of_it[:1]

    def documents(self, step: int, part: int = 0) -> np.ndarray:
        """The article that each question is put to; noise may choose another one of the batch,
        whichever rank or part has it."""
        questions = self.order.questions(step)
        found = self.split.question_document[questions]
        if self.noise is not None:
            found = self.noise.articles(self.split, questions, self.order.locate(step).epoch)
        return self._own(found, part)

    def wrong(self, step: int, part: int = 0) -> np.ndarray | None:
        """Which questions are put to another article than their own; None if there is no noise."""
        if self.noise is None:
            return None
        own = self.split.question_document[self.questions(step, part)]
        return np.asarray(self.documents(step, part) != own)

    def share(self, step: int, part: int = 0) -> float:
        """The weight of a part's mean loss: the sum over parts, and then the mean over ranks, are
        those of the batch."""
        size = len(self.order.questions(step))
        return len(range(self._first(part), size, self.ranks * self.parts)) * self.ranks / size

    def _first(self, part: int) -> int:
        return self.rank + self.ranks * part

    def plan(self, number: int) -> Callable[[], Batch]:
        """How to make the batch of a step, or its parts, which are numbered through all steps."""
        step, part = divmod(number, self.parts)
        questions, epoch = self.questions(step, part), self.order.locate(step).epoch
        if self.noise is None:
            return lambda: self.collate(self.split, questions, epoch=epoch)
        articles = self.documents(step, part)
        return partial(self._harder, self.noise, questions, articles, epoch)

    def _harder(
        self, noise: Noise, questions: np.ndarray, articles: np.ndarray, epoch: int
    ) -> Batch:
        put, every = noise.put(self.split, questions, articles, epoch), np.arange(len(questions))
        batch = self.collate(noise.reworded(put, epoch), every, epoch=epoch)
        if not self.unchanged:
            return batch
        return replace(batch, unchanged=self.collate(put, every, epoch=epoch).question)


class ValidationBatches:
    """A split in order of length, with markers that are always drawn in the same way."""

    def __init__(
        self, split: EncodedSplit, collate: Collate, *, batch: int, limit: int | None
    ) -> None:
        questions = np.arange(len(split))
        if limit is not None and limit < len(split):  # spread over the split, not its first part
            questions = questions[np.linspace(0, len(split) - 1, limit).astype(np.int64)]
        by_length = questions[np.argsort(split.document_lengths[questions], kind="stable")]
        self.parts = [by_length[k : k + batch] for k in range(0, len(by_length), batch)]
        self.split, self.collate = split, collate

    def __len__(self) -> int:
        return len(self.parts)

    def plan(self, part: int) -> Callable[[], Batch]:
        return lambda: self.collate(self.split, self.parts[part], epoch=0)


class Feed:
    """Makes batches in threads, in order, a few ahead, and copies them to the device."""

    def __init__(
        self,
        plan: Callable[[int], Callable[[], Batch]],
        device: torch.device,
        *,
        threads: int,
        ahead: int,
    ) -> None:
        self.plan, self.device, self.ahead = plan, device, ahead
        self.threads = ThreadPoolExecutor(threads, "batches")
        self.waited = 0.0  # seconds

    def over(self, steps: Iterable[int]) -> Iterator[tuple[int, Batch]]:
        """The batches of the steps, in their order."""
        queue: deque[tuple[int, Future[Batch]]] = deque()
        running: deque[torch.cuda.Event] = deque()
        try:
            for step in steps:
                queue.append((step, self.threads.submit(self._make, self.plan(step))))
                if len(queue) > self.ahead:
                    yield self._next(queue, running)
            while queue:
                yield self._next(queue, running)
        finally:
            for _, future in queue:
                future.cancel()

    def close(self) -> None:
        self.threads.shutdown(cancel_futures=True)

    def _make(self, plan: Callable[[], Batch]) -> Batch:
        batch = plan()
        return batch.pin_memory() if self.device.type == "cuda" else batch

    def _next(
        self, queue: deque[tuple[int, Future[Batch]]], running: deque["torch.cuda.Event"]
    ) -> tuple[int, Batch]:
        if self.device.type == "cuda":
            # The host stays close to the device, so that the wait below is a wait for data.
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
            running.append(event)
            if len(running) > RUN_AHEAD:
                running.popleft().synchronize()
        step, future = queue.popleft()
        started = perf_counter()
        batch = future.result()
        self.waited += perf_counter() - started
        return step, batch.to(self.device, non_blocking=True)
