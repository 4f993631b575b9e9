"""Many pieces of work given to an engine, in a few thousand tasks at most."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from cloze.engines.engine import Engine
from cloze.errors import UserError
from cloze.progress import bar

T = TypeVar("T")
MOST_TASKS = 2048


def parse_share(text: str) -> tuple[int, int]:
    """
    >>> parse_share("3/64")
    (3, 64)
    """
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UserError(f"'{text}' is not a share of the work", fix="write 1/64, 2/64 up to 64/64")
    return int(number), int(of)


def check_ways(shard: str | None, finish: bool, on: str | None) -> None:
    """--shard, --finish and --on are three ways of sharing work; only one is given at a time."""
    if sum(map(bool, (shard, finish, on))) > 1:
        raise UserError(
            "--shard, --finish and --on do not go together",
            fix="give --shard on every machine and then --finish, or only --on",
        )


def share_of(items: Sequence[T], number: int, of: int) -> Sequence[T]:
    """Share `number` of `of`, from 1.

    >>> share_of("abcdefg", 2, 3)
    'cd'
    """
    return items[len(items) * (number - 1) // of : len(items) * number // of]


def slices(items: Sequence[T], most: int = MOST_TASKS) -> Iterator[Sequence[T]]:
    """The items in their order in at most so many slices, none of them empty."""
    count = min(len(items), most)
    return (share_of(items, number, count) for number in range(1, count + 1))


def do(
    engine: Engine, task: Callable[[Any], int], items: list[Any], what: str, total: int, unit: str
) -> None:
    """Run the task for each item; it returns how much of the total it did."""
    with bar() as shown:
        line = shown.add_task(what, total=total, unit=unit)
        for done in engine(task, items):
            shown.advance(line, done)
