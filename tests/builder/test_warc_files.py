"""Pages from WARCs, ours and other people's: whole or an error, with an account of every page."""

import gzip
import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.builder.sources import (
    Columns,
    Reading,
    parts_of,
    read_part,
    read_stories,
    warc_files,
)
from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story
from cloze.wayback import ADDRESS_FIELD
from tests.builder.pages import written

# warcio's writer, which only the tests use in this way, leaves its temporary files to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
HERE = Reading(seconds=0)
MOST = 200_000  # bytes of a page, in these tests
URL = "http://www.cnn.com/2015/03/09/storm"
WRAPPED = f"http://web.archive.org/web/20150401000000id_/{URL}"


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc_files, "MOST_BYTES", MOST)


def record(
    writer: WARCWriter,
    url: str,
    content: bytes,
    *,
    status: str = "200 OK",
    kind: str = "text/html; charset=utf-8",
    encoding: str | None = None,
    address: str | None = None,
) -> None:
    headers = [("Content-Type", kind), *([("Content-Encoding", encoding)] if encoding else [])]
    http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
    more = {ADDRESS_FIELD: address} if address else None
    made = writer.create_warc_record(
        url, "response", payload=io.BytesIO(content), http_headers=http, warc_headers_dict=more
    )
    writer.write_record(made)


def warc(path: Path, gz: bool = True) -> bytes:
    """A few records as crawlers write them."""
    whole = io.BytesIO()
    writer = WARCWriter(whole, gzip=gz)
    writer.write_record(writer.create_warcinfo_record(path.name, {"software": "a crawler"}))
    record(writer, WRAPPED, gzip.compress(written.cnn_2015().encode()), encoding="gzip")
    record(writer, "http://x.example/missing", b"no", status="404 Not Found")
    record(writer, "http://x.example/paper.pdf", b"%PDF", kind="application/pdf")
    record(writer, "http://x.example/big", b"x" * (MOST + 1))
    record(writer, f"{URL}/2", written.cnn_2011().encode(), address="http://cnn.com/short")
    path.write_bytes(whole.getvalue())
    return whole.getvalue()


@pytest.mark.parametrize("gz", [True, False])
def test_what_is_in_a_warc(tmp_path: Path, gz: bool) -> None:
    path = tmp_path / ("n.warc.gz" if gz else "n.warc")
    warc(path, gz)
    first, *rejects, last = read_stories(path, Columns(), HERE)
    assert isinstance(first, Story)
    assert first.highlights == written.BULLETS
    assert (first.url, first.date) == (URL, "2015-03-09")
    assert rejects == [
        Reject("http://x.example/missing", Reason.NO_PAGE),
        Reject("http://x.example/paper.pdf", Reason.NO_PAGE),
        Reject("http://x.example/big", Reason.TOO_BIG),
    ]
    assert isinstance(last, Story)
    assert last.url == f"{URL}/2"


def test_ids_are_the_hashes_of_the_addresses_in_the_list(tmp_path: Path) -> None:
    """As in the published corpora, whose ids are those of the archive's addresses."""
    warc(tmp_path / "n.warc.gz")
    stories = list(read_stories(tmp_path / "n.warc.gz", Columns(), HERE))
    ids = [each.id for each in stories if isinstance(each, Story)]
    listed = (WRAPPED, "http://cnn.com/short")
    assert ids == [hashlib.sha1(address.encode()).hexdigest() for address in listed]


@pytest.mark.parametrize("gz", [True, False])
def test_a_warc_that_is_not_whole_is_an_error(tmp_path: Path, gz: bool) -> None:
    path = tmp_path / ("n.warc.gz" if gz else "n.warc")
    whole = warc(path, gz)
    for cut in (len(whole) - 300, len(whole) - 1200, len(whole) // 2):
        path.write_bytes(whole[:cut])
        with pytest.raises(UserError, match=r"not a whole WARC|truncated or damaged"):
            list(read_stories(path, Columns(), HERE))


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        (rb"WARC-Target-URI: [^\r]*\r\n", b""),
        (rb"(Content-Length: \d)", rb"\g<1>0"),
        (rb"Content-Length: \d(\d+)", rb"Content-Length: \1"),
        (rb"Content-Length: \d+\r\n", b""),
        (rb"WARC/1.0", b"WARP/1.0"),
    ],
)
def test_a_header_that_is_not_right_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], found: bytes, instead: bytes
) -> None:
    whole = io.BytesIO()
    writer = WARCWriter(whole, gzip=False)
    for number in range(3):
        record(writer, f"{URL}/{number}", written.cnn_2015().encode())
    (tmp_path / "n.warc").write_bytes(re.sub(found, instead, whole.getvalue()))
    with pytest.raises(UserError, match="not a whole WARC"):
        list(read_stories(tmp_path / "n.warc", Columns(), HERE))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", [b"", b"no warc at all\n", b"WARC/1.0\r\n\r\n", b"\0" * 999])
def test_what_is_no_warc(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "n.warc").write_bytes(content)
    if content:
        with pytest.raises(UserError):
            list(read_stories(tmp_path / "n.warc", Columns(), HERE))
    else:
        assert list(read_stories(tmp_path / "n.warc", Columns(), HERE)) == []


def test_a_page_that_unpacks_to_something_huge_is_a_reject(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"\0" * (3 * MOST))
    whole = io.BytesIO()
    writer = WARCWriter(whole, gzip=False)
    record(writer, "http://x.example/bomb", bomb, encoding="gzip")
    (tmp_path / "n.warc").write_bytes(whole.getvalue())
    found = list(read_stories(tmp_path / "n.warc", Columns(), HERE))
    assert found == [Reject("http://x.example/bomb", Reason.TOO_BIG)]


def test_the_report_says_what_each_host_gave(tmp_path: Path) -> None:
    whole = io.BytesIO()
    writer = WARCWriter(whole, gzip=True)
    record(writer, WRAPPED, written.cnn_2015().encode())
    record(writer, "http://x.example/a", written.without_bullets().encode())
    record(writer, "http://x.example/b", b"no", status="404 Not Found")
    (tmp_path / "n.warc.gz").write_bytes(whole.getvalue())
    report = build(
        [Source(tmp_path / "n.warc.gz", "train")],
        tmp_path / "corpus",
        pages=Reading(titles=True, seconds=0),
        pipeline="rules:en",
        workers=1,
    )
    counts = report.hosts.as_json()
    assert list(counts) == ["x.example", "www.cnn.com"]
    questions = [own.pop("questions") for own in counts.values()]
    assert all(questions)
    assert sum(questions) == report.questions["train"]
    assert list(counts.values()) == [
        {"pages": 2, "articles": 1, "bullets": 0, "titles": 1},
        {"pages": 1, "articles": 1, "bullets": 1, "titles": 0},
    ]
    assert "titles instead" in report.table()


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize("size", [1, 2000, 1 << 30])
def test_ranges_of_records_hold_together_what_the_file_holds(
    tmp_path: Path, gz: bool, size: int
) -> None:
    path = tmp_path / ("n.warc.gz" if gz else "n.warc")
    whole = warc(path, gz)
    ranges = list(parts_of(path, size))
    assert len(ranges) == {1: 6, 1 << 30: 1}.get(size, len(ranges))
    ends = [0, *(each["end"] for each in ranges)]
    assert [each["start"] for each in ranges] == ends[:-1]
    assert ends[-1] == len(whole)
    found = [own for each in ranges for _, own in read_part(path, Columns(), each, None, HERE)]
    assert found == list(read_stories(path, Columns(), HERE))
    for each in ranges:
        numbered = list(read_part(path, Columns(), each, None, HERE))
        odd = [own for own in numbered if own[0] % 2]
        assert list(read_part(path, Columns(), each, range(1, 9, 2), HERE)) == odd


def _in_one_member(whole: bytes) -> bytes:
    return gzip.compress(gzip.decompress(whole))


def _record_in_two_members(whole: bytes) -> bytes:
    text = gzip.decompress(whole)
    middle = len(text) // 2
    return gzip.compress(text[:middle]) + gzip.compress(text[middle:])


def _with_a_byte_altered(whole: bytes) -> bytes:
    return whole[:600] + bytes([whole[600] ^ 1]) + whole[601:]


@pytest.mark.parametrize(
    "spoil",
    [
        _in_one_member,
        _record_in_two_members,
        gzip.decompress,  # under a name that says otherwise
        lambda whole: whole[:-1],
        lambda whole: whole + b"\0",
        _with_a_byte_altered,
    ],
)
def test_a_warc_that_is_not_as_the_standard_wants_it_is_one_part(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "n.warc.gz"
    path.write_bytes(spoil(warc(path)))
    assert list(parts_of(path, 1)) == [{}]


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        (rb"(Content-Length: \d)", rb"\g<1>0"),
        (rb"Content-Length: \d+\r\n", b""),
        (rb"(Content-Length: \d+\r\n)", rb"\1\1"),
        (rb"WARC/1.0", b"WARP/1.0"),
        (rb"\r\n\r\nWARC", b"\r\nWARC"),
    ],
)
def test_a_plain_one_likewise(tmp_path: Path, found: bytes, instead: bytes) -> None:
    path = tmp_path / "n.warc"
    path.write_bytes(re.sub(found, instead, warc(path, gz=False)))
    assert list(parts_of(path, 1)) == [{}]


def test_a_bomb_is_found_while_a_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloze.compressed._SMALL", 1 << 20)
    whole = io.BytesIO()
    record(WARCWriter(whole, gzip=True), URL, b"\0" * (4 << 20))
    (tmp_path / "n.warc.gz").write_bytes(whole.getvalue())
    for reads in (lambda path: parts_of(path, 1), lambda path: read_stories(path, Columns(), HERE)):
        with pytest.raises(UserError, match="unpacks to more than 200 times its size"):
            list(reads(tmp_path / "n.warc.gz"))
