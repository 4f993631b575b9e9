"""Turns of a host, by a clock that only sleeping moves."""

import asyncio

import pytest

from cloze.fetching import turns
from cloze.fetching.turns import Turn, Turns

now = 0.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    global now
    now = 100.0

    async def sleep(seconds: float) -> None:
        global now
        now += seconds
        await asyncio.sleep(0)

    # Under names of this module alone: other threads of this process live by the real clock.
    monkeypatch.setattr(turns, "monotonic", lambda: now)
    monkeypatch.setattr(turns, "sleep", sleep)


def begun(turn: Turn, requests: int, hold: dict[int, float] | None = None) -> list[float]:
    """When each request began; `hold` says after which of them the host asks for a pause."""
    times: list[float] = []

    async def ask() -> None:
        async with turn:
            times.append(now)
            turn.hold((hold or {}).get(len(times), 0.0))

    async def all_at_once() -> None:
        await asyncio.gather(*(ask() for _ in range(requests)))

    asyncio.run(all_at_once())
    return times


@pytest.mark.parametrize("at_once", [1, 4])
def test_requests_begin_so_many_seconds_apart(at_once: int) -> None:
    assert begun(Turn(6.0, at_once), 4) == [100.0, 106.0, 112.0, 118.0]


def test_a_pause_holds_for_everybody() -> None:
    assert begun(Turn(2.0, 3), 5, {2: 300.0}) == [100.0, 102.0, 402.0, 404.0, 406.0]


def test_a_shorter_pause_than_usual_changes_nothing() -> None:
    assert begun(Turn(6.0, 1), 3, {1: 1.0}) == [100.0, 106.0, 112.0]


def test_hosts_that_pause_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Turns(lambda host: 2.0, 1)
    known.of("a").hold(1.0)
    known.of("b").hold(300.0)
    assert known.held() == {"b": 300.0}


def test_hosts_that_nobody_asks_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_MOST_HOSTS", 2)
    known = Turns(lambda host: 2.0, 1)
    first, held = known.of("a"), known.of("b")
    held.hold(300.0)
    known.of("c")
    assert known.of("b") is held
    assert known.of("a") is not first
