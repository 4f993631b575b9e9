"""Every reply, kept on disk the moment it is there: a SQLite file that any tool can read.

    sqlite3 predictions/replies.sqlite 'select question, text from replies'

A reply is committed before it is scored. A process killed at any moment loses at most the requests
that were under way. What failed is kept too, with its reason, and asked again only on request.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cloze.language_models.request import Request
from cloze.ledger import Ledger

VERSION = 1
_TABLE = """
create table if not exists replies (
    key text primary key,       -- of address, model, request and prompt
    address text not null,
    model text not null,
    form text not null,
    question text not null,     -- its id
    failure text,               -- why there is no reply, or null
    text text not null,         -- as it came
    finish text not null,       -- why the model stopped, in the server's word
    refused integer not null,   -- the server marked the reply as a refusal
    tokens_read integer not null,
    tokens_written integer not null,
    seconds real not null,      -- of the request that was answered
    tries integer not null,
    at text not null
) without rowid
"""
_COLUMNS = "failure text finish refused tokens_read tokens_written seconds tries".split()
_KEEP = (
    f"insert into replies values ({', '.join('?' * 14)}) on conflict (key) do update set "
    + ", ".join(f"{column} = excluded.{column}" for column in (*_COLUMNS, "at"))
    + " where replies.failure is not null"
)
_COUNTS = ("refused", "tokens_read", "tokens_written", "tries")
_ODD = (
    "replies where typeof(failure) not in ('text', 'null') or typeof(text) != 'text'"
    " or typeof(finish) != 'text' or typeof(seconds) != 'real' or not abs(seconds) < 1e15",
    *(
        f"replies where typeof({count}) != 'integer' or {count} not between 0 and 1 << 40"
        for count in _COUNTS
    ),
)
_GET = f"select {', '.join(_COLUMNS)} from replies where key = ?"


@dataclass(frozen=True, slots=True)
class Reply:
    failure: str | None = None  # "time-out", "server error 500": then there is nothing else
    text: str = ""
    finish: str = ""  # "stop", "length", "content_filter" …
    refused: bool = False
    tokens_read: int = 0
    tokens_written: int = 0
    seconds: float = 0.0
    tries: int = 1


class Replies:
    """The file of replies, opened. Two models may share it, also at the same time."""

    def __init__(self, path: Path) -> None:
        self.path, fix = Path(path), "choose another file with --replies"
        self._ledger = Ledger(self.path, _TABLE, _ODD, version=VERSION, what="replies", fix=fix)

    def get(self, key: str) -> Reply | None:
        with self._ledger.using() as base:
            found = base.execute(_GET, (key,)).fetchone()
        if found is None:
            return None
        failure, text, finish, refused, *counts = found
        return Reply(failure, text, finish, bool(refused), *counts)

    def keep(self, request: Request, reply: Reply) -> None:
        """In place of a failure; a reply that was delivered is never replaced."""
        row = (
            *(request.key, request.address, request.model, request.form, request.question),
            *(getattr(reply, column) for column in _COLUMNS),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        with self._ledger.using() as base:
            base.execute(_KEEP, row)

    def tokens(self, address: str, model: str) -> tuple[int, int]:
        """Read and written in all the replies of a model that are kept here."""
        with self._ledger.using() as base:
            read, written = base.execute(
                "select sum(tokens_read), sum(tokens_written) from replies "
                "where address = ? and model = ?",
                (address, model),
            ).fetchone()
        return read or 0, written or 0

    def flush(self) -> None:
        """To the disk itself: from here on not even a power cut loses a reply."""
        self._ledger.flush()

    def close(self) -> None:
        self._ledger.close()
