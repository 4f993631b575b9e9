"""Work that is kept for a later run, with its SHA-256 in the first line: damage is noticed there.

Such files are written and read by the program alone. Whatever passes the seal is what it wrote.
"""

import hashlib

from cloze.errors import UserError

LENGTH = 65  # bytes of a seal: 64 hex digits and the end of the line


def seal_of(sha256: str) -> bytes:
    return sha256.encode() + b"\n"


def sealed(content: bytes) -> bytes:
    return seal_of(hashlib.sha256(content).hexdigest()) + content


def unsealed(whole: bytes, *, where: object, fix: str) -> bytes:
    """The content, if it is what was written."""
    content = whole[LENGTH:]
    if whole[:LENGTH] != seal_of(hashlib.sha256(content).hexdigest()):
        raise broken(where, fix)
    return content


def broken(where: object, fix: str) -> UserError:
    return UserError("is truncated or was altered", where=where, fix=fix)
