"""Web pages from a WARC, as `cloze fetch` and other crawlers write it, compressed or not.

Anything but a whole WARC from start to end is an error, as with a tar.
"""

import contextlib
import io
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cloze.builder.pages.page import Page
from cloze.builder.sources.records import Columns
from cloze.builder.sources.warc_ranges import warc_ranges
from cloze.compressed import Section, opened
from cloze.errors import UserError
from cloze.extras import needs
from cloze.files import MOST_BYTES
from cloze.stories import Reason, Reject
from cloze.wayback import ADDRESS_FIELD, unwrapped

if TYPE_CHECKING:
    from warcio.archiveiterator import WARCIterator
    from warcio.recordloader import ArcWarcRecord

WHAT = "web archives"
ENDINGS = (".warc",)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
_PAGE = ("text/html", "application/xhtml+xml", "")


def read(path: Path, columns: Columns) -> Iterator[Page | Reject]:
    """Every page that a server sent, in order."""
    return (page for _, page in read_part(path, columns, {}, None))


def cut(path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Ranges of records; a file that is not quite as it should be is one part."""
    found = warc_ranges(path, size)
    return (each._asdict() for each in found) if found else iter([{}])


def read_part(
    path: Path, columns: Columns, part: dict[str, Any], wanted: Container[int] | None
) -> Iterator[tuple[int, Page | Reject]]:
    with needs("fetch"):
        from warcio.archiveiterator import WARCIterator

    number = -1
    with opened(path, Section(**part) if part else None) as stream:
        records = WARCIterator(stream)
        while (record := _next(records, path)) is not None:
            if record.rec_type == "response" and record.http_headers is not None:
                number += 1
                if wanted is None or number in wanted:
                    yield number, _page(record)
            _check_whole(record, path)


def _next(records: "WARCIterator", path: Path) -> "ArcWarcRecord | None":
    """The next record; what warcio only warns of, a record that is not where it should be, is an
    error here, and so is what it does not foresee in a header."""
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with contextlib.redirect_stderr(io.StringIO()):
            record = next(records, None)
    except (ArchiveLoadFailed, ValueError, LookupError, AttributeError) as problem:
        _refuse(path, str(problem))
    if records.err_count:
        _refuse(path, "a record does not have the length that it says")
    return record


def count(path: Path) -> None:
    """Not quick to find out: the whole archive would have to be read."""


def _page(record: "ArcWarcRecord") -> Page | Reject:
    target = record.rec_headers.get_header("WARC-Target-URI") or ""
    address = record.rec_headers.get_header(ADDRESS_FIELD) or target
    headers = record.http_headers
    kind = headers.get_header("Content-Type") or ""
    if headers.get_statuscode() != "200" or kind.split(";")[0].strip().lower() not in _PAGE:
        return Reject(address, Reason.NO_PAGE)
    content = record.content_stream().read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        return Reject(address, Reason.TOO_BIG)
    label = _CHARSET.search(kind)
    return Page(content, address, address, unwrapped(target), label and label[1])


def _check_whole(record: "ArcWarcRecord", path: Path) -> None:
    """The rest must be there: warcio takes the end of the file for that of a record."""
    stream = record.raw_stream
    left = getattr(stream, "limit", None)  # none: the record does not say how long it is
    while left and stream.read(1 << 16):
        left = stream.limit
    if left != 0:
        _refuse(path, "truncated")


def _refuse(path: Path, why: str) -> NoReturn:
    raise UserError(f"is not a whole WARC ({why})", where=path, fix="copy the file again")
