"""The pages, appended to WARC files: each record is compressed by itself and written at once.

A record that a killed process had only half written is cut off by the next run; one that it had
written but not yet put down in the account is put down now.
"""

import contextlib
import hashlib
import io
import os
import zlib
from base64 import b32encode
from pathlib import Path
from typing import Self

from warcio.archiveiterator import WARCIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from cloze.fetching.account import Account, Outcome, Place, Settled
from cloze.fetching.client import Got
from cloze.files import explain
from cloze.version import __version__
from cloze.wayback import ADDRESS_FIELD

MOST_BYTES = 1 << 30  # of one file, after which the next is begun
ENDING = ".warc.gz"
# The bytes are kept as they were sent but for the chunks, which the connection has removed.
_RENAMED = {"transfer-encoding": "X-Crawler-Transfer-Encoding"}


class Warcs:
    """The files of a folder, of which the last is written to."""

    def __init__(self, folder: Path, *, agent: str, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._agent, self._most_bytes = folder, agent, most_bytes
        self._names = sorted(path.name for path in folder.glob(f"pages-*{ENDING}"))
        self._open: io.FileIO | None = None
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def take_up(self, account: Account) -> None:
        """Make files and account agree, whatever moment the last run ended at."""
        for name in self._names:
            account.lose(name, (self._folder / name).stat().st_size)
        if self._names:
            name = self._names[-1]
            self._begin(name)
            assert self._open is not None
            start = account.end_of(name) or 0
            self._open.seek(start)
            left = self._open.read()
            while (length := _length_of_record(left)) is not None:
                if not _adopt(account, left[:length], Place(name, start, length)):
                    break
                start, left = start + length, left[length:]
            self._open.truncate(start)
            self._end = start

    def keep(self, address: str, got: Got) -> Place:
        """Append a page; from here on it survives the end of this process."""
        if self._open is None or self._end >= self._most_bytes:
            self._begin(f"pages-{len(self._names):05d}{ENDING}")
        return self._append(page_record(address, got))

    def _begin(self, name: str) -> None:
        self._close()
        path = self._folder / name
        try:
            self._open = io.FileIO(path, "r+" if path.exists() else "x+")
        except OSError as problem:
            raise explain(problem, path) from problem
        self._end = self._open.seek(0, os.SEEK_END)
        if name not in self._names:
            self._names.append(name)
        if self._end == 0:
            self._append(info_record(name, self._agent))

    def _append(self, record: bytes) -> Place:
        assert self._open is not None
        place = Place(Path(str(self._open.name)).name, self._end, len(record))
        try:
            self._open.seek(self._end)
            view = memoryview(record)
            while view:
                view = view[self._open.write(view) :]
        except OSError as problem:
            self._open.truncate(self._end)
            path = Path(str(self._open.name))
            named = OSError(problem.errno, problem.strerror, str(path))
            raise explain(named, path) from problem
        self._end += len(record)
        return place

    def _close(self) -> None:
        if self._open is not None:
            os.fsync(self._open.fileno())
            self._open.close()
            self._open = None


def page_record(address: str, got: Got) -> bytes:
    """A response as the server sent it, with its digests and the address from the list."""
    headers = [(_RENAMED.get(name.lower(), name), value) for name, value in got.headers]
    http = StatusAndHeaders(f"{got.status} {got.reason}", headers, protocol="HTTP/1.1")
    http.compute_headers_buffer()
    about = {
        ADDRESS_FIELD: address,
        "WARC-Payload-Digest": _digest(got.body),
        "WARC-Block-Digest": _digest(http.headers_buff + got.body),
        **({"WARC-IP-Address": got.ip} if got.ip else {}),
    }
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    writer.write_record(
        writer.create_warc_record(
            got.url,
            "response",
            payload=io.BytesIO(got.body),
            length=len(got.body),
            http_headers=http,
            warc_headers_dict=about,
        )
    )
    return out.getvalue()


def info_record(name: str, agent: str) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    about = {
        "software": f"cloze-reader/{__version__}",
        "format": "WARC File Format 1.0",
        "http-header-user-agent": agent,
    }
    record = writer.create_warcinfo_record(name, about)
    content = record.raw_stream.getvalue()
    record.rec_headers.add_header("WARC-Block-Digest", _digest(content))
    writer.write_record(record)
    return out.getvalue()


def _digest(content: bytes) -> str:
    return "sha1:" + b32encode(hashlib.sha1(content).digest()).decode()


def _length_of_record(content: bytes) -> int | None:
    """How long the first compressed record is; None if there is none, or not all of it."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS + 16)
    try:
        unpacking.decompress(content)
    except zlib.error:
        return None
    return len(content) - len(unpacking.unused_data) if unpacking.eof else None


def _adopt(account: Account, record: bytes, place: Place) -> bool:
    """Put a page down that was only written; whether it is one."""
    try:
        headers = _headers(record)
    except _NO_RECORD:
        return False
    address = headers["address"]
    number = account.number_of(address) if address else None
    if number is not None:
        account.settle(number, Settled(Outcome.FETCHED, None, 200, headers["url"]), place)
    return True


# What warcio says about a record that is none; in some headers it does not foresee anything odd.
_NO_RECORD = (ArchiveLoadFailed, ValueError, LookupError, AttributeError)


def _headers(record: bytes) -> dict[str, str | None]:
    """The addresses of a page; of a record whose digest is another, none."""
    with contextlib.redirect_stderr(io.StringIO()):  # warcio warns of what is refused here
        (found,) = WARCIterator(io.BytesIO(record), check_digests=True)
        while found.raw_stream.read(1 << 16):
            pass
    if found.digest_checker.passed is False:
        raise ValueError("another digest")
    named = {"address": ADDRESS_FIELD, "url": "WARC-Target-URI"}
    return {name: found.rec_headers.get_header(field) for name, field in named.items()}
