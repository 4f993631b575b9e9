"""What runs pieces of work: processes of this machine, a Dask cluster or a Ray cluster.

An engine takes a task and the items to do it for, and yields the results as they come. It promises
nothing else: an item may be done twice, by a worker that is lost and by its successor. So a task
leaves what it makes in a store under a name that follows from its input, whole or not at all, and
does at once what it finds done.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cloze.errors import UserError

Engine = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]
MOST_DEATHS = 20  # workers that one item may lose before it is thought to be the cause


def blame(item: object) -> UserError:
    return UserError(
        f"{MOST_DEATHS} workers died over one piece of work ({item}; out of memory?)",
        fix="give each worker more memory and run the same command again; finished parts are kept",
    )
