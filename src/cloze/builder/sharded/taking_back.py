"""A refusal leaves nothing: what a run has begun and then finds no use for is taken back."""

import contextlib
from collections.abc import Iterator

from cloze.builder.sharded.stores import Store
from cloze.errors import UserError

# What is in a store before the first piece of work is done.
_PREPARED = frozenset({"plan.json", "made_with.json", "parts", "spans", "encoder", "locks"})


@contextlib.contextmanager
def taken_back(stores: Store, store: Store) -> Iterator[None]:
    """Remove the store of some work if the block fails before any of it is done.

    A store that another run has begun stays: what is wrong here need not be wrong there. So does
    one in which another run is at work meanwhile.
    """
    began = not store.names("")
    try:
        yield
    except Exception:
        if began:
            with contextlib.suppress(UserError, OSError):  # others are at work, or the disk is gone
                _take_back(stores, store)
        raise


def _take_back(stores: Store, store: Store) -> None:
    if store.names("") <= _PREPARED:
        with store.claim_all():
            pass
        store.remove()
    stores.tidy()
