"""Where the machines meet: files by name, each whole or not there, and none ever changed."""

from pathlib import Path

from cloze.builder.sharded.bucket_store import BucketStore
from cloze.builder.sharded.folder_store import FolderStore
from cloze.files import with_a_name

Store = FolderStore | BucketStore


def store_for(out: Path, address: str | None = None) -> Store:
    """The store at an address, or a hidden folder beside the output; each build has one in it."""
    if address is not None and "://" in address:
        return BucketStore(address.rstrip("/"))
    if address is not None:
        return FolderStore(Path(address).absolute())
    out = with_a_name(out)
    return FolderStore(out.absolute().with_name(f".{out.name}.shards"))
