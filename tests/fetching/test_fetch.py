"""Every address is accounted for, whatever its server does, and no server is asked too much."""

import asyncio
import errno
import gzip
import io
import json
import os
import random
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import WARCIterator

from cloze.builder.sources import Columns, Reading, read_stories
from cloze.errors import UserError
from cloze.fetching import fetcher, lane, warcs
from cloze.fetching.account import Account, Outcome
from cloze.fetching.fetch import Fetched, fetch
from cloze.fetching.manner import Manner
from cloze.files import one_writer
from cloze.stories import Story
from tests.builder.pages import written
from tests.fetching.conftest import QUICK
from tests.fetching.loopback import Page, Site

Fetching = Callable[..., Fetched]
Rows = Callable[[], dict[str, tuple[Any, ...]]]
HTML = written.cnn_2015()
EVERYTHING = "User-agent: *\nAllow: /\n"


def with_robots(pages: dict[str, Page], text: str = EVERYTHING) -> Callable[[str, int], Page]:
    known = {"/robots.txt": Page(text, headers={"Content-Type": "text/plain"}), **pages}
    return lambda path, before: known.get(path, Page("gone", "404 Not Found"))


def records(folder: Path) -> list[tuple[str, str, bytes]]:
    """The pages of the WARCs as warcio reads them: target, address in the list, content."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with open(path, "rb") as file:
            for record in WARCIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    about = record.rec_headers
                    found.append(
                        (
                            about.get_header("WARC-Target-URI"),
                            about.get_header("Cloze-Address"),
                            record.content_stream().read(),
                        )
                    )
    return found


def test_pages_become_a_warc_that_others_read(fetching: Fetching, tmp_path: Path) -> None:
    packed = {"Content-Encoding": "gzip"}
    site = with_robots(
        {
            "/plain": Page(HTML),
            "/gzip": Page(gzip.compress(HTML.encode()), headers=packed),
            "/deflate": Page(zlib.compress(HTML.encode()), headers={"Content-Encoding": "deflate"}),
            "/chunked": Page(HTML, chunked=True),
            "/Zo%C3%AB": Page(HTML),
        }
    )
    with Site(site) as server:
        paths = ("/plain", "/gzip", "/deflate", "/chunked", "/Zoë")
        addresses = [server.url + path for path in paths]
        fetched = fetching([*addresses, "# a comment", "", addresses[0]])
        assert fetched.counts == {(Outcome.FETCHED, None): 5}
        found = records(tmp_path / "out")
        assert [address for _, address, _ in found] == addresses
        assert {content for *_, content in found} == {HTML.encode()}
        assert "User-Agent: cloze-reader/" in server.heads[0]
        assert "(+tests@example.org)" in server.heads[0]
        assert server.connections == {"127.0.0.1": 1}  # kept open, and one at a time
    check = [sys.executable, "-m", "warcio.cli", "check", "-v"]
    done = subprocess.run(
        [*check, *map(str, (tmp_path / "out").glob("*.warc.gz"))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    (path,) = (tmp_path / "out").glob("*.warc.gz")
    stories = list(read_stories(path, Columns(), Reading(seconds=0)))
    assert [isinstance(each, Story) and each.highlights for each in stories] == [
        written.BULLETS
    ] * 5


BAD = {
    "missing": (Page("no", "404 Not Found"), "missing", "404 Not Found"),
    "gone": (Page("no", "410 Gone"), "missing", "410 Gone"),
    "forbidden": (Page("no", "403 Forbidden"), "refused", "403 Forbidden"),
    "nothing": (Page("", "204 No Content"), "failed", "204 No Content"),
    "broken": (Page("no", "500 Oops"), "failed", "500 Oops"),
    "pdf": (Page("%PDF", headers={"Content-Type": "application/pdf"}), "failed", "not a page but application/pdf"),
    "short": (Page(HTML, cut=600), "failed", "cut short"),
    "short chunks": (Page(HTML, chunked=True, cut=600), "failed", "cut short"),
    "hangs up": (Page(HTML, cut=0), "failed", "the connection was closed"),
    "half a head": (Page(HTML, cut=20), "failed", "the connection was closed"),
    "no HTTP": (Page("no", "nonsense\r\nat all"), "failed", "not HTTP"),
    "silent": (Page(silent=True), "failed", "time-out"),
    "dripping": (Page(HTML, drip=0.01), "failed", "time-out"),
    "endless": (Page(endless=True), "failed", "over 8 MiB"),
    "large": (Page("x" * (8 << 20) + "x"), "failed", "over 8 MiB"),
    "bomb": (
        Page(gzip.compress(b"\0" * (65 << 20)), headers={"Content-Encoding": "gzip"}),
        "failed",
        "unpacks to over 64 MiB",
    ),
    "half a gzip": (
        Page(gzip.compress(HTML.encode())[:300], headers={"Content-Encoding": "gzip"}),
        "failed",
        "cannot be unpacked",
    ),
    "not gzip": (Page(HTML, headers={"Content-Encoding": "gzip"}), "failed", "cannot be unpacked"),
    "brotli": (Page("x", headers={"Content-Encoding": "br"}), "failed", "packed in an unknown way (br)"),
    "loop": (Page("", "302 Found", {"Location": "/bad"}), "failed", "more than 5 redirects"),
    "to a file": (
        Page("", "302 Found", {"Location": "file:///etc/passwd"}),
        "refused",
        "leads to no http or https address",
    ),
    "to nonsense": (Page("", "302 Found", {"Location": "http://[::"}), "refused", "leads to no address"),
}  # fmt: skip


PASSING = ("500 Oops", "cut short", "the connection was closed", "not HTTP", "cannot be unpacked")


@pytest.mark.parametrize("kind", BAD)
def test_a_misbehaving_server(kind: str, fetching: Fetching, rows: Rows, tmp_path: Path) -> None:
    page, outcome, reason = BAD[kind]
    with Site(with_robots({"/bad": page, "/good": Page(HTML)})) as server:
        bad, good = f"{server.url}/bad", f"{server.url}/good"
        slow = reason == "time-out"
        fetching([bad, good], seconds=2.0 if slow else 60.0, tries=1 if slow else 3)
        assert rows() == {bad: (outcome, reason), good: ("fetched", None)}
        times = 6 if kind == "loop" else 3 if reason in PASSING else 1
        assert server.asked["127.0.0.1/bad"] == times
    assert [address for _, address, _ in records(tmp_path / "out")] == [good]


def test_what_is_no_address_is_refused_and_nobody_is_asked(fetching: Fetching, rows: Rows) -> None:
    bad = [
        "ftp://example.org/a",
        "file:///etc/passwd",
        "news",
        "http://",
        "http://a:b@example.org/",
    ]
    fetched = fetching(bad)
    assert fetched.requests == 0
    assert {outcome for outcome, _ in rows().values()} == {"refused"}
    assert fetched.addresses == len(bad)


def test_private_addresses_only_if_allowed(fetching: Fetching, rows: Rows) -> None:
    with Site(with_robots({"/a": Page(HTML)})) as server:
        addresses = [f"{server.url}/a", f"http://localhost:{server.port}/a", "http://[::1]:9/a"]
        fetching(addresses, allow_local=False)
        assert set(rows().values()) == {("refused", "robots.txt: not a public address")}
        assert not server.connections
        fetching(addresses[:1], retry=True)
        assert rows()[addresses[0]] == ("fetched", None)


def test_robots_are_heeded_on_live_sites(fetching: Fetching, rows: Rows) -> None:
    text = "User-agent: *\nDisallow: /private*/x$\nDisallow: /no\nAllow: /no/but-this\n"
    pages = {
        path: Page(HTML) for path in ("/private/a/x", "/private/a/xy", "/no/a", "/no/but-this")
    }
    with Site(with_robots(pages, text)) as server:
        fetching([server.url + path for path in pages])
        outcomes = [outcome for outcome, _ in rows().values()]
        assert outcomes == ["refused", "fetched", "refused", "fetched"]
        assert server.asked["127.0.0.1/robots.txt"] == 1
        fetching([f"{server.url}/other"])  # in another run on the same day
        assert server.asked["127.0.0.1/robots.txt"] == 1


@pytest.mark.parametrize(
    ("robots", "outcome"),
    [
        (Page("no", "404 Not Found"), ("fetched", None)),
        (Page("no", "403 Forbidden"), ("fetched", None)),
        (Page("oops", "500 Oops"), ("failed", "robots.txt: 500")),
        (Page("", "302 Found", {"Location": "/robots.txt"}), ("failed", "robots.txt: more than 5 redirects")),
        (Page(b"\xff\xfe\0", headers={"Content-Type": "image/png"}), ("fetched", None)),
    ],
)  # fmt: skip
def test_a_robots_file_that_is_not_there(
    robots: Page, outcome: tuple[Any, ...], fetching: Fetching, rows: Rows
) -> None:
    with Site(with_robots({"/robots.txt": robots, "/a": Page(HTML)})) as server:
        fetching([f"{server.url}/a"])
        assert rows() == {f"{server.url}/a": outcome}


def test_too_many_requests_are_asked_again_later(fetching: Fetching, rows: Rows) -> None:
    def site(path: str, before: int) -> Page:
        if path == "/b" and before == 0:
            return Page("slowly", "429 Too Many Requests", {"Retry-After": "1"})
        return with_robots({p: Page(HTML) for p in ("/a", "/b", "/c")})(path, before)

    with Site(site) as server:
        fetching([f"{server.url}/{path}" for path in "abc"])
        assert set(rows().values()) == {("fetched", None)}
        assert [head.split()[1] for head in server.heads] == ["/robots.txt", "/a", "/b", "/b", "/c"]


def test_a_host_that_goes_on_refusing_is_left_for_another_run(
    fetching: Fetching, rows: Rows
) -> None:
    busy = Page("no", "429 Too Many Requests", {"Retry-After": "0"})
    with Site(with_robots({"/a": busy, "/b": busy, "/c": Page(HTML)})) as server:
        fetched = fetching([f"{server.url}/{path}" for path in "abc"])
        assert fetched.of(None) == 3
        assert fetched.left == {"127.0.0.1": "goes on saying that there are too many requests"}
        assert server.asked["127.0.0.1/a"] == fetcher.TOO_MANY
        server.behaviour = with_robots({f"/{path}": Page(HTML) for path in "abc"})
        assert fetching([f"{server.url}/{path}" for path in "abc"]).of(Outcome.FETCHED) == 3


def test_a_host_that_closes_its_door_is_left_alone_for_long(fetching: Fetching, rows: Rows) -> None:
    """Some hosts refuse connections instead of saying 429: that is no error to try again at once."""
    with Site(with_robots({"/0": Page(HTML, headers={"Connection": "close"})})) as server:
        server.closes_after = 2  # robots.txt and a page
        addresses = [f"{server.url}/{number}" for number in range(3)]
        fetched = fetching(addresses, pause=0.01)
    assert fetched.left == {"127.0.0.1": "can no longer be reached"}
    assert fetched.requests == 2 + fetcher.TOO_MANY
    assert [outcome for outcome, _ in rows().values()] == ["fetched", None, None]


def test_a_host_that_is_away(
    fetching: Fetching, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nobody answers it may be our own network; if others do, it is the host."""
    monkeypatch.setattr(lane, "HOPELESS", 2)
    away = [f"http://127.0.0.9:1/{number}" for number in range(5)]
    assert fetching(away, tries=1).of(None) == 5
    with Site(with_robots({f"/{n}": Page(HTML) for n in range(50)})) as server:
        here = [f"{server.url}/{number}" for number in range(50)]
        fetching([*away, *here], tries=2, hosts=2, pause=30.0)  # half a second after an error
    found = rows()
    assert {found[address] for address in away} <= {
        ("failed", "cannot be reached"),
        ("failed", "robots.txt: cannot be reached"),
    }
    assert {found[address] for address in here} == {("fetched", None)}


def test_a_host_is_asked_once_at_a_time_and_others_meanwhile(fetching: Fetching) -> None:
    """No host lets go of its first request before every other has got one."""
    hosts = [f"127.0.0.{number}" for number in range(2, 8)]
    together = threading.Barrier(len(hosts))

    async def wait_for_the_others() -> None:
        await asyncio.to_thread(together.wait, 60)

    def site(path: str, before: int) -> Page:
        return Page(EVERYTHING, wait=wait_for_the_others if path == "/robots.txt" else None)

    with Site(site, hosts) as server:
        paths = [f"/{number}" for number in range(4)]
        fetching([f"http://{host}:{server.port}{path}" for path in paths for host in hosts])
        assert server.most_at_once == 1
        assert server.connections == dict.fromkeys(hosts, 1)
        assert not together.broken


def test_redirects_are_followed_and_the_page_keeps_its_address(
    fetching: Fetching, tmp_path: Path
) -> None:
    pages = {"/a": Page("", "301 Moved", {"Location": "b?x=1#y"}), "/b?x=1": Page(HTML)}
    with Site(with_robots(pages)) as server:
        fetching([f"{server.url}/a"])
        ((target, address, _),) = records(tmp_path / "out")
        assert (target, address) == (f"{server.url}/b?x=1", f"{server.url}/a")


def archive(path: str, before: int) -> Page:
    """A Wayback Machine with one page, captured twice."""
    if path.startswith("/cdx/search/cdx?"):
        rows: list[list[str]] = []
        if "cnn.com" in path:
            stamp = "20090310000000" if "closest=20090309" in path else "20150401000000"
            rows = [["timestamp", "original"], [stamp, "http://www.cnn.com:80/2009/03/09/storm"]]
        body = gzip.compress(json.dumps(rows).encode())
        return Page(body, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
    if path.startswith("/web/2009031") and path.endswith(
        "id_/http://www.cnn.com:80/2009/03/09/storm"
    ):
        return Page(written.cnn_2007())
    if path == "/web/20150401000000id_/http://www.cnn.com/2009/03/09/storm":
        return Page(
            "",
            "302 Found",
            {"Location": "/web/20090311000000id_/http://www.cnn.com:80/2009/03/09/storm"},
        )
    return Page("not in the archive", "404 Not Found")  # fmt: skip


def test_captures_are_found_and_archived_addresses_work_as_they_are(
    fetching: Fetching, rows: Rows, tmp_path: Path
) -> None:
    with Site(archive) as server:
        published = f"{server.url}/web/20150401000000id_/http://www.cnn.com/2009/03/09/storm"
        live = "http://www.cnn.com/2009/03/09/storm"
        unknown = "http://nowhere.example/2009/03/09/storm"
        fetching([published, live, unknown], wayback=True, archive=server.url)
        assert rows() == {
            published: ("fetched", None),
            live: ("fetched", None),
            unknown: ("missing", "no capture"),
        }
        assert "127.0.0.1/robots.txt" not in server.asked
    (path,) = (tmp_path / "out").glob("*.warc.gz")
    first, second = read_stories(path, Columns(), Reading(seconds=0))
    assert isinstance(first, Story)
    assert isinstance(second, Story)
    assert first.highlights == second.highlights == written.BULLETS
    assert first.url == "http://www.cnn.com:80/2009/03/09/storm"
    assert first.date == "2009-03-09"


def test_a_finished_list_asks_nobody_and_failures_only_on_request(
    fetching: Fetching, rows: Rows
) -> None:
    with Site(with_robots({"/a": Page(HTML), "/b": Page("no", "500 Oops")})) as server:
        addresses = [f"{server.url}/a", f"{server.url}/b"]
        fetching(addresses, tries=1)
        assert fetching(addresses, tries=1).requests == 0
        server.behaviour = with_robots({"/a": Page(HTML), "/b": Page(HTML)})
        assert fetching(addresses, retry=True).requests == 1
        assert set(rows().values()) == {("fetched", None)}
        assert server.asked["127.0.0.1/a"] == 1


def test_large_lists_make_several_files(
    fetching: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warcs.Warcs.__init__, "__kwdefaults__", {"most_bytes": 3000})
    with Site(with_robots({f"/{n}": Page(HTML) for n in range(9)})) as server:
        fetching([f"{server.url}/{n}" for n in range(9)])
    assert len(list((tmp_path / "out").glob("*.warc.gz"))) > 2
    assert len(records(tmp_path / "out")) == 9


def test_what_a_killed_process_left_is_taken_up(
    fetching: Fetching, rows: Rows, tmp_path: Path
) -> None:
    """A page that is in the WARC but not in the account, and half of another one behind it."""
    with Site(with_robots({f"/{n}": Page(HTML) for n in range(3)})) as server:
        addresses = [f"{server.url}/{n}" for n in range(3)]
        fetching(addresses[:1])
        (path,) = (tmp_path / "out").glob("*.warc.gz")
        before = path.read_bytes()
        got = warcs.Got(addresses[1], 200, "OK", [("Content-Type", "text/html")], HTML.encode())
        whole, half = (
            warcs.page_record(addresses[1], got),
            warcs.page_record(addresses[2], got)[:400],
        )
        path.write_bytes(before + whole + half)
        fetching(addresses)
        assert server.asked["127.0.0.1/1"] == 0
        assert server.asked["127.0.0.1/2"] == 1
    assert path.read_bytes().startswith(before + whole)
    assert [address for _, address, _ in records(tmp_path / "out")] == addresses
    assert set(rows().values()) == {("fetched", None)}


class Full(io.FileIO):
    """A disk that has room for half of the fourth page."""

    left = 10_000

    def write(self, content: Any) -> int:
        if Full.left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(bytes(content)[: Full.left])
        Full.left -= written
        return written


def test_a_full_disk_is_one_line_and_nothing_is_lost(
    fetching: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = [random.Random(number).randbytes(1500).hex() for number in range(9)]
    site = with_robots({f"/{n}": Page(f"<p>{text}</p>") for n, text in enumerate(noise)})
    with Site(site) as server:
        addresses = [f"{server.url}/{number}" for number in range(9)]
        with monkeypatch.context() as patch:
            patch.setattr(warcs.io, "FileIO", Full)
            with pytest.raises(UserError, match="the disk is full; nothing half-written was left"):
                fetching(addresses)
        kept = records(tmp_path / "out")
        assert 0 < len(kept) < 9
        assert fetching(addresses).of(Outcome.FETCHED) == 9
        repeated = server.asked.total() - len(server.asked)
        assert repeated == 1  # the one for which there was no room
    assert [address for _, address, _ in records(tmp_path / "out")] == addresses


def test_pages_that_the_disk_lost_are_asked_for_again(fetching: Fetching, tmp_path: Path) -> None:
    with Site(with_robots({f"/{n}": Page(HTML) for n in range(3)})) as server:
        addresses = [f"{server.url}/{n}" for n in range(3)]
        fetching(addresses)
        (path,) = (tmp_path / "out").glob("*.warc.gz")
        path.write_bytes(path.read_bytes()[:-20])
        assert fetching(addresses).of(Outcome.FETCHED) == 3
        assert [server.asked[f"127.0.0.1/{n}"] for n in range(3)] == [1, 1, 2]
    assert [address for _, address, _ in records(tmp_path / "out")] == addresses


def test_killed_before_there_was_an_account(tmp_path: Path) -> None:
    """All that the first run left is its lock."""
    (tmp_path / "urls.txt").write_text("no address\n")
    with one_writer(tmp_path / "out", fix=""):
        pass
    assert any((tmp_path / "out").iterdir())
    manner = Manner(**QUICK)  # type: ignore[arg-type]
    assert fetch(tmp_path / "urls.txt", tmp_path / "out", manner).of(Outcome.REFUSED) == 1


def test_a_disk_that_has_no_room_for_the_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself would say that it is unable to open the file."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(UserError, match="the disk is full"):
        Account(tmp_path / "account.sqlite")


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    manner = Manner(**QUICK)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no such file"):
        fetch(tmp_path / "nowhere.txt", tmp_path / "out", manner)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "urls.txt").write_text("http://127.0.0.1:1/\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UserError, match="something else than fetched pages"):
        fetch(tmp_path / "urls.txt", tmp_path / "other", manner)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "account.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(UserError, match="cannot keep the account"):
        fetch(tmp_path / "urls.txt", tmp_path / "bad", manner)
    for wrong in ({"contact": "me"}, {"around": "soon"}, {"archive": "ftp://x"}):
        with pytest.raises(UserError):
            Manner(**QUICK | wrong)  # type: ignore[arg-type]


def test_the_bytes_are_those_that_were_sent(fetching: Fetching, tmp_path: Path) -> None:
    body = gzip.compress(HTML.encode("utf-16"))
    headers = {"Content-Encoding": "gzip", "X-Odd": "caf\xe9", "Set-Cookie": "a=b"}
    with Site(with_robots({"/a": Page(body, headers=headers)})) as server:
        fetching([f"{server.url}/a"])
    (path,) = (tmp_path / "out").glob("*.warc.gz")
    plain = gzip.decompress(path.read_bytes())
    assert body in plain
    (record,) = (r for r in WARCIterator(io.BytesIO(plain)) if r.rec_type == "response")
    assert record.http_headers.get_header("Set-Cookie") == "a=b"
