"""How often files are opened, as the system counts it, whoever opens them and by whatever means."""

import ctypes
import os
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OPENED = 0x20  # IN_OPEN of inotify(7)
_HEAD = struct.Struct("iIII")


@contextmanager
def counted_opens(paths: Iterable[Path]) -> Iterator[Counter[str]]:
    """Fills the counter when the block ends: how often each file was opened, by its name."""
    if sys.platform != "linux":
        pytest.skip("opens are counted by inotify, which only Linux has")
    library = ctypes.CDLL(None, use_errno=True)
    queue = library.inotify_init1(os.O_NONBLOCK)
    assert queue >= 0, os.strerror(ctypes.get_errno())
    try:
        names = {
            library.inotify_add_watch(queue, os.fsencode(path), _OPENED): path.name
            for path in paths
        }
        found: Counter[str] = Counter()
        yield found
        events = os.read(queue, 1 << 16)
        while events:
            watch, _, _, length = _HEAD.unpack_from(events)
            found[names[watch]] += 1
            events = events[_HEAD.size + length :]
    finally:
        os.close(queue)
