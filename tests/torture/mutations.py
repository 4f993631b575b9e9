"""Ways to spoil bytes and text: bits, blocks, lines, and the numbers that readers stumble over."""

from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63 - 1,
    2**64 - 1,
)
WORDS = (
    b"", b"\0", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\xe2\x80\xa8", b"\xc2\x85", b"NaN", b"-1", b"1e999", b"9" * 5000, b"[" * 3000, b'"', b"'", b",",
    b"=", b":", b"\\", b"\\ud800", b"null", b"{}", b"@highlight", b"@placeholder", b"@entity0",
    b"@entity999999999", b"@entity4294967296", b"../", b"/", b"%s", b"<b>", b"&a *a", b"---", b"|||",
)  # fmt: skip


def any_of(*mutations: Mutation) -> Mutation:
    return lambda content, random: random.choice(mutations)(content, random)


def bytes_changed(content: bytes, random: Random) -> bytes:
    """One to four changes anywhere."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content = random.choice(_CHANGES)(bytearray(content), random)
    return content


def lines_changed(content: bytes, random: Random) -> bytes:
    """A line lost, repeated, moved, joined to the next, or spoilt inside."""
    lines = content.split(b"\n")
    place = random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, random.choice(lines))
        case 2:
            other = random.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            lines[place : place + 2] = [b"".join(lines[place : place + 2])]
        case 4:
            lines[place] = random.choice(WORDS)
        case _:
            lines[place] = bytes_changed(lines[place], random)
    return b"\n".join(lines)


def words_changed(content: bytes, random: Random) -> bytes:
    """A word replaced by one that means something to some reader, or by another of its own."""
    words = content.split(b" ")
    for _ in range(random.choice((1, 1, 2, 5))):
        words[random.randrange(len(words))] = random.choice((*WORDS, random.choice(words)))
    return b" ".join(words)


text_changed: Mutation = any_of(bytes_changed, lines_changed, words_changed)


def _flip(content: bytearray, random: Random) -> bytes:
    if content:
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return bytes(content)


def _set(content: bytearray, random: Random) -> bytes:
    if content:
        content[random.randrange(len(content))] = random.randrange(256)
    return bytes(content)


def _cut(content: bytearray, random: Random) -> bytes:
    return bytes(content[: random.randrange(len(content) + 1)])


def _remove(content: bytearray, random: Random) -> bytes:
    start = random.randrange(len(content) + 1)
    del content[start : start + random.choice((1, 2, 8, 64, 512))]
    return bytes(content)


def _repeat(content: bytearray, random: Random) -> bytes:
    start = random.randrange(len(content) + 1)
    block = content[start : start + random.choice((1, 4, 32, 512))]
    content[start:start] = block * random.choice((1, 1, 2, 100))
    return bytes(content)


def _insert(content: bytearray, random: Random) -> bytes:
    start = random.randrange(len(content) + 1)
    content[start:start] = random.choice((random.choice(WORDS), random.randbytes(8)))
    return bytes(content)


def _number(content: bytearray, random: Random) -> bytes:
    """A number of a binary format becomes one at the edge of what its bytes can hold."""
    size = random.choice((1, 2, 4, 8))
    start = random.randrange(len(content) + 1)
    value = random.choice(NUMBERS) & ((1 << 8 * size) - 1)
    content[start : start + size] = value.to_bytes(size, random.choice(("little", "big")))
    return bytes(content)


def _splice(content: bytearray, random: Random) -> bytes:
    """The beginning of the file, and then the end of it from somewhere else."""
    return bytes(content[: random.randrange(len(content) + 1)]) + bytes(
        content[random.randrange(len(content) + 1) :]
    )


_CHANGES: tuple[Callable[[bytearray, Random], bytes], ...] = (
    *(_flip, _set, _cut, _remove, _repeat, _insert, _number, _splice),
)
