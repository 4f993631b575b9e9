"""How the number of requests at once follows what the server does."""

import asyncio

from cloze.language_models.pace import FIRST, LONGER, SETTLED, Pace


def test_it_grows_by_about_one_a_round_up_to_the_most() -> None:
    pace = Pace(10)
    for _ in range(FIRST):
        pace.went_well(1.0)
    assert FIRST + 0.8 < pace.limit <= FIRST + 1
    for _ in range(200):
        pace.went_well(1.0)
    assert pace.limit == 10


def test_requests_sent_together_take_away_once() -> None:
    pace = Pace(32)
    for _ in range(400):
        pace.went_well(1.0)
    full = pace.limit
    for _ in range(20):
        pace.went_badly(sent=0.0)
    assert 0.6 * full < pace.limit < full
    for _ in range(100):
        pace.went_badly(sent=float("inf"))
    assert pace.limit == 1


def test_it_stops_growing_where_the_server_only_queues() -> None:
    """A server that takes one request at a time: twice as many wait twice as long."""
    pace = Pace(1000)
    for _ in range(SETTLED):
        pace.went_well(1.0)
    for _ in range(2000):
        pace.went_well(pace.limit / FIRST)
    assert FIRST < pace.limit < 2 * LONGER * FIRST


def test_no_more_than_the_limit_at_once_and_everybody_gets_a_turn() -> None:
    pace, most, done = Pace(3), 0, 0

    async def one() -> None:
        nonlocal most, done
        async with pace:
            most = max(most, pace.running)
            await asyncio.sleep(0)
        done += 1

    async def many() -> None:
        await asyncio.gather(*(one() for _ in range(50)))

    asyncio.run(many())
    assert (most, done, pace.running) == (3, 50, 0)
