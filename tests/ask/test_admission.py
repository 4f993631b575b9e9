"""How much is taken on, in a simulated queue whose clock is ours."""

import heapq
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import pytest

from cloze.ask.admission import EACH, MANY, PAUSE, UNMEASURED, Admission


@dataclass
class Simulation:
    """One server that works on one request after another, and clients that ask without end.

    A refused client comes back after what it was told.
    """

    patience: float
    clients: int
    now: float = 0.0
    took: list[tuple[float, float]] = field(default_factory=list)  # when asked, seconds
    most_at_work: int = 0

    def run(self, seconds: float, work_of: "dict[float, float]", size: int = 600) -> None:
        """`work_of` maps a time to the seconds of work of requests begun after it."""
        self.admission = Admission(self.patience, lambda: self.now)
        free_at = 0.0
        events: list[tuple[float, int, float | None, AbstractContextManager[None] | None]] = []
        for client in range(self.clients):
            events.append((client * 1e-4, client, None, None))
        heapq.heapify(events)
        while events[0][0] < seconds:
            self.now, client, asked, working = heapq.heappop(events)
            if asked is not None and working is not None:  # an answer
                working.__exit__(None, None, None)
                self.took.append((asked, self.now - asked))
            if not self.admission.has_time_for(size):
                back = self.now + self.admission.retry_after() + client * 1e-3
                heapq.heappush(events, (back, client, None, None))
                continue
            working = self.admission.work(size)
            working.__enter__()
            self.most_at_work = max(self.most_at_work, self.admission.at_work)
            each = work_of[max(begin for begin in work_of if begin <= self.now)]
            free_at = max(free_at, self.now) + each
            heapq.heappush(events, (free_at, client, self.now, working))


@pytest.mark.parametrize("each", [0.004, 0.02, 0.1, 0.4])
def test_what_is_taken_is_answered_in_time_by_a_fast_and_by_a_slow_reader(each: float) -> None:
    simulation = Simulation(patience=0.8, clients=200)
    simulation.run(60, {0.0: each})
    assert max(seconds for _, seconds in simulation.took) < 2
    assert len(simulation.took) > 0.9 * 60 / each  # and the server is never idle for long
    assert simulation.most_at_work <= max(UNMEASURED, 0.8 / each + 1)


def test_a_reader_slower_than_our_patience_still_answers_one_at_a_time() -> None:
    simulation = Simulation(patience=0.8, clients=20)
    simulation.run(60, {0.0: 3.0})
    assert len(simulation.took) >= 10
    assert simulation.most_at_work <= UNMEASURED


def test_the_number_follows_the_machine() -> None:
    """It becomes ten times as slow after a minute, and fast again after another."""
    simulation = Simulation(patience=0.8, clients=200)
    simulation.run(180, {0.0: 0.02, 60.0: 0.2, 120.0: 0.02})
    for begin, end in ((5, 60), (75, 120), (135, 180)):
        took = sorted(seconds for asked, seconds in simulation.took if begin <= asked < end)
        assert took[-1] < 2
    fast, slow, again = (
        sum(begin <= asked < begin + 40 for asked, _ in simulation.took) for begin in (15, 75, 135)
    )
    assert fast == pytest.approx(10 * slow, rel=0.2)
    assert again == pytest.approx(fast, rel=0.1)


def test_a_long_article_counts_for_more() -> None:
    now = 0.0
    admission = Admission(1.0, lambda: now)
    with admission.work(EACH):
        now = 0.1
    with admission.work(EACH):  # 2,000 bytes in 0.1 seconds, and as much in hand
        assert admission.has_time_for(17 * EACH)
        assert not admission.has_time_for(18 * EACH)
        assert admission.retry_after() in (1, 2, 3)


def test_those_who_are_refused_together_are_told_different_times() -> None:
    admission = Admission(1.0)
    with admission.work(0):
        assert {admission.retry_after() for _ in range(6)} == {1, 2, 3}


def test_only_clients_that_ask_again_at_once_wait_for_their_refusal() -> None:
    now = 0.0
    admission = Admission(1.0, lambda: now)
    assert {admission.pause() for _ in range(MANY)} == {0.0}  # a crowd that comes together
    assert admission.pause() == PAUSE
    for second in range(1, 5):  # as many again, but as they were told
        now = second + 0.5
        assert {admission.pause() for _ in range(MANY // 2)} == {0.0}
