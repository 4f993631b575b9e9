"""Tars with headers that lie, and compressed streams that are spoilt outside or inside."""

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable
from random import Random

import pyarrow as pa

from tests.torture.mutations import NUMBERS, Mutation, bytes_changed

BLOCK = tarfile.BLOCKSIZE
# Where a header's fields stand, and how long they are: name, mode, size, time, type, link, prefix.
_FIELDS = ((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (345, 155))
_TYPES = b"0123456789xgLKSDVNAMX\0\xff"
_CHECKSUM = slice(148, 156)


def tar_changed(content: bytes, random: Random) -> bytes:
    """A field of a header, with a checksum that agrees: what a bad writer would write."""
    blocks = bytearray(content)
    starts = [k for k in range(0, len(blocks), BLOCK) if blocks[k + 257 : k + 262] == b"ustar"]
    if not starts:
        return bytes_changed(content, random)
    start = random.choice(starts)
    place, size = random.choice(_FIELDS)
    field = _type(random) if place == 156 else _field(bytes(blocks[start + place :][:size]), random)
    blocks[start + place : start + place + size] = field[:size].ljust(size, b"\0")
    _sign(blocks, start)
    return bytes(blocks)


def members_changed(content: bytes, random: Random) -> bytes:
    """Whole blocks lost, repeated or swapped."""
    blocks = [content[k : k + BLOCK] for k in range(0, len(content), BLOCK)]
    place, other = random.randrange(len(blocks)), random.randrange(len(blocks))
    match random.randrange(3):
        case 0:
            del blocks[place]
        case 1:
            blocks.insert(place, blocks[other])
        case _:
            blocks[place], blocks[other] = blocks[other], blocks[place]
    return b"".join(blocks)


def compressed(codec: str, change: Mutation) -> Mutation:
    """The stream is spoilt, or what is in it is and the stream is whole."""

    def changed(content: bytes, random: Random) -> bytes:
        if random.random() < 0.5:
            return COMPRESS[codec](change(_unpacked(content, codec), random))
        return bytes_changed(content, random)

    return changed


def _type(random: Random) -> bytes:
    return bytes([random.choice(_TYPES)])


def _field(before: bytes, random: Random) -> bytes:
    match random.randrange(4):
        case 0:
            return b"%011o" % random.choice(NUMBERS)
        case 1:
            return random.randbytes(12)
        case 2:
            return b"\x80" + random.choice(NUMBERS).to_bytes(11, "big")  # GNU's form for large ones
        case _:
            return bytes_changed(before, random)


def _sign(blocks: bytearray, start: int) -> None:
    head = blocks[start : start + BLOCK]
    head[_CHECKSUM] = b" " * 8
    blocks[start + _CHECKSUM.start : start + _CHECKSUM.stop] = b"%06o\0 " % sum(head)


def _unpacked(content: bytes, codec: str) -> bytes:
    if codec == ".xz":
        return lzma.decompress(content)
    name = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}[codec]
    return bytes(pa.CompressedInputStream(pa.BufferReader(content), name).read())


def _zst(content: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(content))


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, 1, mtime=0),
    ".zst": _zst,
    ".xz": lambda content: lzma.compress(content, preset=0),
    ".bz2": lambda content: bz2.compress(content, 1),
}
