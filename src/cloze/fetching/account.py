"""What became of every address: a SQLite file that any tool can read.

    sqlite3 fetched/account.sqlite 'select outcome, reason, count(*) from addresses group by 1, 2'

An address is settled the moment its reply is there. A process killed at any moment loses at most
the requests that were under way; a page that had just been written is found again in its WARC.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from cloze.ledger import Ledger

VERSION = 1
_BATCH = 64
_TABLES = """
create table if not exists addresses (
    number integer primary key,  -- its place in the list
    address text not null unique,
    host text not null,          -- which is asked for it
    next text,                   -- where a capture or a redirect leads, to be asked next
    hops integer not null default 0,
    outcome text,                -- fetched, missing, refused, failed; null: not settled yet
    reason text,
    status integer,              -- of HTTP
    url text,                    -- where it was found
    at text,
    file text,                   -- the WARC that holds it, from byte `start`
    start integer,
    length integer
);
create index if not exists waiting on addresses (host, number) where outcome is null;
create index if not exists kept on addresses (file, start) where file is not null;
create table if not exists robots (origin text primary key, body blob not null, at real not null)
    without rowid;
create table if not exists facts (name text primary key, value text not null) without rowid;
"""
_OUTCOMES = "'fetched', 'missing', 'refused', 'failed'"
_ODD = (
    f"""addresses where typeof(address) != 'text' or typeof(host) != 'text'
        or typeof(next) not in ('text', 'null') or typeof(reason) not in ('text', 'null')
        or typeof(hops) != 'integer' or hops not between 0 and 1000000
        or outcome not in ({_OUTCOMES}) or typeof(file) not in ('text', 'null')
        or (file is not null and (typeof(start) != 'integer' or typeof(length) != 'integer'
            or start not between 0 and 1 << 40 or length not between 0 and 1 << 40))""",
    "robots where typeof(origin) != 'text' or typeof(body) != 'blob' or typeof(at) != 'real'",
    "facts where typeof(name) != 'text' or typeof(value) != 'text'",
)
_SETTLE = """
update addresses set outcome = ?, reason = ?, status = ?, url = ?, at = ?, file = ?, start = ?,
    length = ? where number = ?
"""


class Outcome(StrEnum):
    FETCHED = "fetched"
    MISSING = "missing"
    REFUSED = "refused"
    FAILED = "failed"


class Place(NamedTuple):
    """Where a page is kept."""

    file: str
    start: int
    length: int


class Row(NamedTuple):
    number: int
    address: str
    next: str | None
    hops: int


class Settled(NamedTuple):
    outcome: Outcome
    reason: str | None = None
    status: int | None = None
    url: str | None = None


class Account:
    def __init__(self, path: Path) -> None:
        fix = "free some space, or choose another folder"
        self._ledger = Ledger(path, _TABLES, _ODD, version=VERSION, what="the account", fix=fix)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.close()

    def add(self, addresses: Iterable[tuple[str, str, str | None]]) -> None:
        """Addresses with their hosts, or with the reason why they cannot be asked for."""
        with self._ledger.at_once() as base:
            base.executemany(
                "insert into addresses (address, host, outcome, reason) values (?, ?, ?, ?) "
                "on conflict (address) do nothing",
                (
                    (address, host, None if reason is None else Outcome.REFUSED, reason)
                    for address, host, reason in addresses
                ),
            )

    def ask_elsewhere(self, host_of: Callable[[str], str]) -> None:
        """Addresses that are not settled are asked of other hosts now."""
        with self._ledger.at_once() as base:
            base.create_function("host_of", 1, host_of)
            base.execute(
                "update addresses set host = host_of(address), next = null, hops = 0 "
                "where outcome is null"
            )

    def ask_again(self) -> None:
        """What failed or was refused is to be asked again, unless it is no address at all."""
        with self._ledger.at_once() as base:
            base.execute(
                "update addresses set outcome = null, reason = null, next = null, hops = 0 "
                "where outcome in (?, ?) and host != ''",
                (Outcome.FAILED, Outcome.REFUSED),
            )

    def hosts(self) -> list[str]:
        """The hosts that are still to be asked, those with most addresses first."""
        with self._ledger.using() as base:
            found = base.execute(
                "select host from addresses where outcome is null group by host "
                "order by count(*) desc, host"
            )
            return [host for (host,) in found]

    def waiting(self, host: str) -> Iterator[Row]:
        """The addresses to ask a host for, in their order; a few at a time are in memory."""
        last = -1
        while True:
            with self._ledger.using() as base:
                rows = base.execute(
                    "select number, address, next, hops from addresses "
                    "where outcome is null and host = ? and number > ? order by number limit ?",
                    (host, last, _BATCH),
                ).fetchall()
            yield from (Row(*row) for row in rows)
            if not rows:
                return
            last = rows[-1][0]

    def lead(self, row: Row, url: str, hops: int) -> None:
        """A reply said where to ask next; that is not to be asked again."""
        with self._ledger.using() as base:
            base.execute(
                "update addresses set next = ?, hops = ? where number = ?", (url, hops, row.number)
            )

    def settle(self, number: int, settled: Settled, place: Place | None = None) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._ledger.using() as base:
            base.execute(_SETTLE, (*settled, now, *(place or (None, None, None)), number))

    def fail_all(self, host: str, reason: str) -> None:
        """Whatever is still to be asked of a host has failed."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._ledger.using() as base:
            base.execute(
                "update addresses set outcome = ?, reason = ?, at = ? "
                "where host = ? and outcome is null",
                (Outcome.FAILED, reason, now, host),
            )

    def number_of(self, address: str) -> int | None:
        """The number of an address that is not settled."""
        with self._ledger.using() as base:
            found = base.execute(
                "select number from addresses where address = ? and outcome is null", (address,)
            ).fetchone()
        return found and int(found[0])

    def end_of(self, file: str) -> int | None:
        """Where the last page ends that is known to be in a WARC."""
        with self._ledger.using() as base:
            found = base.execute(
                "select start + length from addresses where file = ? order by start desc limit 1",
                (file,),
            ).fetchone()
        return found and int(found[0])

    def lose(self, file: str, size: int) -> None:
        """Pages that a WARC lacks after all, since the machine went down, are asked for again."""
        with self._ledger.using() as base:
            base.execute(
                "update addresses set outcome = null, file = null, start = null, length = null "
                "where file = ? and start + length > ?",
                (file, size),
            )

    def robots(self, origin: str, since: float) -> bytes | None:
        with self._ledger.using() as base:
            found = base.execute(
                "select body from robots where origin = ? and at > ?", (origin, since)
            ).fetchone()
        return found and bytes(found[0])

    def keep_robots(self, origin: str, body: bytes, at: float) -> None:
        with self._ledger.using() as base:
            base.execute("insert or replace into robots values (?, ?, ?)", (origin, body, at))

    def fact(self, name: str) -> object:
        with self._ledger.using() as base:
            found = base.execute("select value from facts where name = ?", (name,)).fetchone()
        try:
            return found and json.loads(found[0])
        except (ValueError, RecursionError):
            raise self._ledger.damaged() from None

    def note(self, name: str, value: object) -> None:
        with self._ledger.using() as base:
            base.execute("insert or replace into facts values (?, ?)", (name, json.dumps(value)))

    def counts(self) -> dict[tuple[Outcome | None, str | None], int]:
        """How many addresses by outcome and reason; outcome None: not settled yet."""
        with self._ledger.using() as base:
            found = base.execute(
                "select outcome, reason, count(*) from addresses group by 1, 2"
            ).fetchall()
        return {(o and Outcome(o), reason): count for o, reason, count in found}

    def flush(self) -> None:
        self._ledger.flush()
