"""What is in a part of a source: the id and the split of each story, and what is no story.

Beside the table lies a run of the hashes of its ids, sorted, after a head that counts how many of
them begin with each byte: so the ids that begin alike can be read from all runs and compared.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from cloze.builder.build_report import NO_SPLIT
from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.pages import Found, kept
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.sealed_files import bytes_of, check_seal, put_bytes, range_of
from cloze.builder.sources import holds_pages, read_part
from cloze.corpus.splits import parse_rule
from cloze.stories import Reason, Reject

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

HASHES = np.dtype([("high", "<u8"), ("low", "<u8"), ("number", "<u4")])
HEAD = np.dtype(("<u4", 256))
_COLUMNS = pa.schema(
    [
        ("number", pa.int64()),  # in its part
        ("where", pa.binary()),  # the id of a story, or what else tells people which one it is
        ("split", pa.string()),
        ("reason", pa.string()),  # none if nothing speaks against it so far
        ("story", pa.bool_()),
    ]
)


@dataclass(frozen=True, slots=True)
class Survey:
    numbers: Numbers
    where: list[str]
    splits: npt.NDArray[np.str_]
    reasons: list[Reason | None]
    refused: Flags  # those that have a reason
    stories: Flags

    def position(self, number: int) -> int:
        """The row of the record with this number."""
        return int(np.searchsorted(self.numbers, number))


def survey(plan: Plan, part: int) -> int:
    """Read a part and leave its survey in the store, unless it is there; returns 1, to count."""
    if plan.store.has(_table(part)):
        return 1
    plan.check_versions()
    source = plan.work.sources[plan.part(part)[0]]
    split_of = parse_rule(plan.work.split_rule, plan.here)
    rows: list[tuple[int, str, str, Reason | None, bool]] = []
    for number, story in _found(plan, part):
        if isinstance(story, Reject):
            rows.append((number, story.where, source.split or NO_SPLIT, story.reason, False))
            continue
        split = source.split or split_of(story)
        reason = Reason.NO_DATE if split is None else None
        rows.append((number, story.id, split or NO_SPLIT, reason, True))
    unique = plan.work.unique
    good = [(number, where) for number, where, _, reason, _ in rows if unique and not reason]
    put_bytes(plan.store, _run(part), _hashes(good))
    put_bytes(plan.store, _table(part), _packed(rows))
    return 1


def _found(plan: Plan, part: int) -> Found:
    place, cut = plan.part(part)
    path = plan.here / plan.work.sources[place].stories
    how = replace(plan.work.pages, children=1)  # there are as many workers as cores
    found = read_part(path, plan.work.columns, cut, None, how)
    return kept(plan, part, found) if holds_pages(path) else found


def surveyed(plan: Plan) -> set[int]:
    """The parts whose survey is there."""
    return {int(name.partition(".")[0]) for name in plan.store.names("survey")}


def read_surveys(plan: Plan) -> Iterator[Survey]:
    """Of all parts, in their order."""
    names = map(_table, range(plan.parts()))
    return map(_unpacked, at_once(partial(bytes_of, plan.store), names))


def read_survey(plan: Plan, part: int) -> Survey:
    return _unpacked(bytes_of(plan.store, _table(part)))


def _unpacked(content: bytes) -> Survey:
    table = pq.read_table(io.BytesIO(content))
    reasons = table["reason"].to_pylist()
    return Survey(
        table["number"].to_numpy(),
        [where.decode("utf-8", "surrogatepass") for where in table["where"].to_pylist()],
        np.array(table["split"].to_pylist(), dtype=np.str_),
        [reason and Reason(reason) for reason in reasons],
        np.array([reason is not None for reason in reasons], dtype=bool),
        np.array(table["story"].to_pylist(), dtype=bool),
    )


def read_head(plan: Plan, part: int) -> Numbers:
    """How many hashes of the run begin with each byte."""
    check_seal(plan.store, _run(part))
    head = range_of(plan.store, _run(part), 0, HEAD.itemsize)
    return np.frombuffer(head, "<u4").astype(np.int64)


def read_hashes(plan: Plan, part: int, first: int, last: int) -> npt.NDArray[np.void]:
    start, end = (HEAD.itemsize + place * HASHES.itemsize for place in (first, last))
    return np.frombuffer(range_of(plan.store, _run(part), start, end), HASHES)


def _hashes(ids: list[tuple[int, str]]) -> bytes:
    run = np.zeros(len(ids), HASHES)
    for place, (number, own) in enumerate(ids):
        digest = hashlib.blake2b(own.encode(), digest_size=16).digest()
        run[place] = (*np.frombuffer(digest, ">u8"), number)
    run = run[np.lexsort((run["number"], run["low"], run["high"]))]
    head = np.bincount((run["high"] >> np.uint64(56)).astype(np.int64), minlength=256)
    return head.astype("<u4").tobytes() + run.tobytes()


def _packed(rows: list[tuple[int, str, str, Reason | None, bool]]) -> bytes:
    numbers, where, splits, reasons, stories = zip(*rows, strict=True) if rows else ([],) * 5
    columns = [
        numbers,
        [w.encode("utf-8", "surrogatepass") for w in where],
        splits,
        reasons,
        stories,
    ]
    arrays = [pa.array(c, f.type) for c, f in zip(columns, _COLUMNS, strict=True)]
    out = io.BytesIO()
    pq.write_table(pa.table(arrays, schema=_COLUMNS), out, compression="zstd")
    return out.getvalue()


def _table(part: int) -> str:
    return f"survey/{part:05d}.parquet"


def _run(part: int) -> str:
    return f"hashes/{part:05d}.run"
