"""Compiled kernels kept in a folder: machine code that will run, so nobody else may write there.

The folder is PyTorch's for extensions (TORCH_EXTENSIONS_DIR, or ~/.cache/torch_extensions). It must
belong to the user and be writable by no one else, and each file starts with a hash of the rest.
Where that is not so, nothing is kept: kernels are compiled again each time.
"""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

HASH = hashlib.sha256().digest_size


def folder() -> Path:
    chosen = os.environ.get("TORCH_EXTENSIONS_DIR")
    return (Path(chosen) if chosen else Path.home() / ".cache" / "torch_extensions") / "cloze"


def load(name: str) -> bytes | None:
    """What was kept under this name, if it is there and can be trusted."""
    path = folder() / name
    try:
        if why_not_trusted(path.parent) or why_not_trusted(path):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    whole = hashlib.sha256(content[HASH:]).digest() == content[:HASH]
    return content[HASH:] if whole else None


def store(name: str, content: bytes) -> None:
    """Keep it if that is possible; several processes may do so at once, and the last one wins."""
    try:
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        if why_not_trusted(folder()):
            return
        with tempfile.NamedTemporaryFile(dir=folder(), delete=False) as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(file.name, folder() / name)
    except OSError:
        return


def why_not_trusted(path: Path) -> str | None:
    """Whether somebody else could have written this, in words."""
    if not hasattr(os, "getuid"):  # Windows: the user's own folder is its own
        return None
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        return f"{path} is a link"
    if state.st_uid != os.getuid():
        return f"{path} belongs to another user"
    if state.st_mode & 0o022:
        return f"{path} can be written by others"
    return None
