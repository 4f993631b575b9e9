"""Several operations of a store under way at once: it may be far away."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")
_AT_ONCE = 16


def at_once(operation: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """What the operation gives for each item, in the order of the items; a few are done ahead.

    >>> list(at_once(abs, [3, -2, 1]))
    [3, 2, 1]
    """
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        ahead: deque[Future[T]] = deque()
        try:
            for item in items:
                ahead.append(threads.submit(operation, item))
                if len(ahead) >= _AT_ONCE:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)
