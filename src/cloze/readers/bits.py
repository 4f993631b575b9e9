"""Numbers in as few bits as their largest needs, laid out so that zstd can shrink them further.

The low 16 bits of every number come first, as pairs of bytes; then, for each bit above them, a
plane of that bit of every number. Words are numbered by frequency, so these planes are nearly all
zeros, of which zstd leaves next to nothing. Numbers of one bit are a single plane.
"""

import numpy as np

_LOW = 16


def width(values: np.ndarray) -> int:
    """The bits that the largest number needs."""
    return max(1, int(values.max(initial=0)).bit_length())


def packed(values: np.ndarray, bits: int) -> bytes:
    """Numbers from 0 to 2 ** bits - 1, bits being at most 32."""
    low = b"" if bits == 1 else (values & 0xFFFF).astype("<u2").tobytes()
    planes = (np.packbits((values >> bit & 1).astype(np.uint8)) for bit in _planes(bits))
    return low + b"".join(plane.tobytes() for plane in planes)


def size(count: int, bits: int) -> int:
    """How many bytes `packed` makes of this many numbers."""
    return (0 if bits == 1 else 2 * count) + len(_planes(bits)) * -(-count // 8)


def unpacked(data: bytes, count: int, bits: int) -> np.ndarray:
    """What was packed. uint32 [count]"""
    low = 0 if bits == 1 else 2 * count
    values = np.zeros(count, np.uint32)
    if low:
        values |= np.frombuffer(data, "<u2", count)
    for number, bit in enumerate(_planes(bits)):
        plane = np.frombuffer(data, np.uint8, -(-count // 8), low + number * -(-count // 8))
        values |= np.unpackbits(plane, count=count).astype(np.uint32) << np.uint32(bit)
    return values


def _planes(bits: int) -> range:
    return range(1) if bits == 1 else range(_LOW, bits)
