"""Machines that share work have the same versions of whatever its bytes depend on."""

import hashlib
import json
import platform
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cloze.builder.sharded.sealed_files import json_of, put_json
from cloze.builder.sharded.stores import Store
from cloze.errors import UserError

_MADE_WITH = "made_with.json"
Also = Mapping[str, str]
_NOTHING: Also = {}


@lru_cache
def made_with() -> dict[str, Any]:
    """Whatever the bytes depend on besides the input."""
    found: dict[str, Any] = {"python": ".".join(platform.python_version_tuple()[:2])}
    for package in ("cloze-reader", "numpy", "pyarrow", "spacy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def check_made_with(planned: Mapping[str, Any], also: Also = _NOTHING) -> None:
    """Stop on a machine whose packages may make other bytes than those of the others."""
    for what, here in {**made_with(), **also}.items():
        if planned.get(what) != here:
            raise UserError(
                f"this machine has {what} {here}, the work was begun with {planned.get(what)}",
                fix="install the same version everywhere",
            )


def begin(store: Store, also: Also = _NOTHING) -> None:
    """Begin the work of a store, if nobody has begun it yet. `also` is what else must be the same
    on every machine."""
    if not store.has(_MADE_WITH):
        store.make()
        put_json(store, _MADE_WITH, {**made_with(), **also})
    check_begun(store, also)


def store_of(stores: Store, identity: Mapping[str, Any]) -> Store:
    told = json.dumps(identity, sort_keys=True)
    return stores.within(hashlib.sha256(told.encode()).hexdigest()[:16])


def check_begun(store: Store, also: Also = _NOTHING) -> None:
    """What a worker calls first."""
    check_made_with(json_of(store, _MADE_WITH), also)
