"""Ids that were seen before, found without holding all of them: some first bytes at a time.

The hashes have 128 bits. Among a thousand million ids, the chance that any two that differ have the
same hash is one in 10**21.
"""

import io
from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.sealed_files import bytes_of, put_bytes
from cloze.builder.sharded.survey import Numbers, read_hashes, read_head

MOST_HASHES = 500_000  # in memory at once; each takes about 100 bytes while they are sorted
_NAME = "duplicates.npy"


def find_duplicates(plan: Plan) -> None:
    """Leave in the store the part and number of each story whose id stands in an earlier one."""
    if plan.store.has(_NAME):
        return
    heads = np.stack(list(at_once(partial(read_head, plan), range(plan.parts()))))
    found = [_repeated(plan, heads, first, last) for first, last in _groups(heads.sum(axis=0))]
    rows = np.concatenate(found)
    out = io.BytesIO()
    np.save(out, rows[np.lexsort((rows[:, 1], rows[:, 0]))])
    put_bytes(plan.store, _NAME, out.getvalue())


def read_duplicates(plan: Plan) -> Numbers:
    """Rows of part and number, in order."""
    rows: Numbers = np.load(io.BytesIO(bytes_of(plan.store, _NAME)))
    return rows


def of_part(duplicates: Numbers, part: int) -> Numbers:
    first, last = np.searchsorted(duplicates[:, 0], (part, part + 1))
    return duplicates[first:last, 1]


def _groups(counts: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of first bytes that fit into memory together."""
    first = total = 0
    for byte, count in enumerate(counts.tolist()):
        if total and total + count > MOST_HASHES:
            yield first, byte
            first, total = byte, 0
        total += count
    yield first, len(counts)


def _repeated(plan: Plan, heads: Numbers, first: int, last: int) -> Numbers:
    starts = np.cumsum(heads, axis=1) - heads

    def run_of(part: int) -> npt.NDArray[np.void]:
        end = starts[part, last - 1] + heads[part, last - 1]
        return read_hashes(plan, part, int(starts[part, first]), int(end))

    runs = list(at_once(run_of, range(len(heads))))
    parts = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
    hashes = np.concatenate(runs)
    order = np.lexsort((hashes["number"], parts, hashes["low"], hashes["high"]))
    ordered, parts = hashes[order], parts[order]
    same = (ordered["high"][1:] == ordered["high"][:-1]) & (
        ordered["low"][1:] == ordered["low"][:-1]
    )
    return np.stack([parts[1:][same], ordered["number"][1:][same].astype(np.int64)], axis=1)
