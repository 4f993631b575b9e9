"""What the steps of a build leave for each other in the store, under a seal."""

import hashlib
import json
from typing import Any

from cloze.builder.sharded.stores import Store
from cloze.sealed import LENGTH, broken, seal_of, sealed, unsealed

_BLOCK = 16 << 20  # bytes
_FIX = "remove the folder that it is in, and run the same command again"


def put_bytes(store: Store, name: str, content: bytes) -> None:
    store.write(name, sealed(content))


def put_json(store: Store, name: str, value: Any) -> None:
    put_bytes(store, name, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def bytes_of(store: Store, name: str) -> bytes:
    return unsealed(store.read(name), where=f"{store.root}/{name}", fix=_FIX)


def json_of(store: Store, name: str) -> Any:
    return json.loads(bytes_of(store, name).decode("utf-8", "surrogatepass"))


def check_seal(store: Store, name: str) -> None:
    """Check the seal of a file that may be larger than the memory."""
    digest, start = hashlib.sha256(), LENGTH
    while block := store.read(name, start, start + _BLOCK):
        digest.update(block)
        start += len(block)
        if len(block) < _BLOCK:
            break
    if store.read(name, 0, LENGTH) != seal_of(digest.hexdigest()):
        raise broken(f"{store.root}/{name}", _FIX)


def range_of(store: Store, name: str, start: int, end: int) -> bytes:
    """Some bytes of the content; `check_seal` has to be called before."""
    return store.read(name, LENGTH + start, LENGTH + end)
