"""Web pages from a WARC, as `cloze fetch` and other crawlers write it, compressed or not.

Anything but a whole WARC from start to end is an error, as with a tar.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from cloze.builder.pages.page import Page
from cloze.builder.sources.records import Columns
from cloze.compressed import opened
from cloze.errors import UserError
from cloze.extras import needs
from cloze.files import MOST_BYTES
from cloze.stories import Reason, Reject
from cloze.wayback import ADDRESS_FIELD, unwrapped

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

WHAT = "web archives"
ENDINGS = (".warc",)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
_PAGE = ("text/html", "application/xhtml+xml", "")


def read(path: Path, columns: Columns) -> Iterator[Page | Reject]:
    """Every page that a server sent, in order."""
    with needs("fetch"):
        from warcio.archiveiterator import WARCIterator
        from warcio.exceptions import ArchiveLoadFailed

    with opened(path) as stream:
        records = WARCIterator(stream)
        try:
            for record in records:
                if record.rec_type == "response" and record.http_headers is not None:
                    yield _page(record)
                _check_whole(record, path)
        except (ArchiveLoadFailed, ValueError, IndexError, KeyError) as problem:
            _refuse(path, str(problem))


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
