"""Whether there is time for one more request, by how fast the last ones were answered.

By Little's law, a request is answered after N times the time between two answers, where N is the
number of requests being handled, including this one. That time is measured while the server works,
so the number accepted fits the loaded reader, the machine, and whatever else runs on it. Articles
differ, so work is counted by size instead of by request.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EACH = 1000  # bytes: what a request costs however short it is
HALF_LIFE = 3.0  # seconds of work after which a measurement counts half
UNMEASURED = 2  # requests at once until the first has been answered
MANY = 500  # refusals within a second: clients that ask again at once
PAUSE = 0.02  # seconds before a refusal, if there are so many


class Admission:
    """Counts the work in hand and measures its pace."""

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience  # seconds until what is taken should be answered
        self._clock = clock
        self._sizes = 0  # of the requests at work
        self.at_work = 0
        self._refused = 0
        self._refusals: deque[float] = deque([-math.inf] * MANY, maxlen=MANY)  # when
        self._last = 0.0  # when an answer was last given, or work began
        self._seconds, self._done = 0.0, 0.0  # what was measured, old measurements fading

    def has_time_for(self, size: int) -> bool:
        """Whether a request of this many bytes would be answered in time. One is always taken."""
        if not self.at_work:
            return True
        if not self._done:
            return self.at_work < UNMEASURED
        return self._seconds_for(self._sizes + EACH + size) <= self._patience

    def retry_after(self) -> int:
        """Whole seconds until the present work is done, and up to two more: clients refused
        at the same moment should not all come back at the same moment."""
        self._refused += 1
        return max(1, math.ceil(self._seconds_for(self._sizes))) + self._refused % 3

    def pause(self) -> float:
        """Seconds to wait before a refusal. As a rule none; but clients that ask again at once
        would take the processor from the readers, and those whose requests were accepted wait."""
        now = self._clock()
        hasty = now - self._refusals[0] < 1.0
        self._refusals.append(now)
        return PAUSE if hasty else 0.0

    @contextmanager
    def work(self, size: int) -> Iterator[None]:
        """While a request is being handled."""
        if not self.at_work:
            self._last = self._clock()
        self.at_work += 1
        self._sizes += EACH + size
        try:
            yield
        finally:
            self.at_work -= 1
            self._sizes -= EACH + size
            self._measure(EACH + size)

    def _measure(self, size: int) -> None:
        now = self._clock()
        elapsed, self._last = now - self._last, now
        fading = 0.5 ** (elapsed / HALF_LIFE)
        self._seconds = fading * self._seconds + elapsed
        self._done = fading * self._done + size

    def _seconds_for(self, sizes: int) -> float:
        return sizes * self._seconds / self._done if self._done else 0.0
