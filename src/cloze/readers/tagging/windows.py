"""Long texts in overlapping windows, and the words as the best window sees them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

OVERLAP = 8  # two windows share at least an eighth of their length


class Window(NamedTuple):
    text: int  # which one
    start: int  # pieces [start, start + length) of it
    length: int


def windows(lengths: Sequence[int], room: int) -> list[Window]:
    """As few windows of at most `room` pieces as cover texts of these lengths, evenly spread.

    >>> [(w.start, w.length) for w in windows([10, 3], 4)]
    [(0, 4), (3, 4), (6, 4), (0, 3)]
    """
    found = []
    stride = max(1, room - max(1, room // OVERLAP))
    for text, length in enumerate(lengths):
        last = max(0, length - room)
        steps = -(-last // stride)
        starts = [last * step // steps for step in range(steps)] + [last]
        found += [Window(text, start, min(room, length)) for start in starts if length]
    return found


def batches(found: Sequence[Window], most: int) -> Iterator[list[Window]]:
    """Windows of like length together, so that each batch pads to at most `most` pieces."""
    batch: list[Window] = []
    for window in sorted(found, key=lambda w: -w.length):
        if batch and batch[0].length * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def depth(window: Window, total: int) -> np.ndarray:
    """How far each piece of a window is from where the window cuts its text. [length]"""
    at = np.arange(window.length, dtype=np.float64)
    before = at if window.start else np.full(window.length, np.inf)
    ends = window.start + window.length == total
    after = np.full(window.length, np.inf) if ends else at[::-1]
    return np.asarray(np.minimum(before, after))
