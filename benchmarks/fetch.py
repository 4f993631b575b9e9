"""Fetch thousands of pages from a server that misbehaves on purpose, killed again and again.

    python benchmarks/fetch.py --pages 20000 --kills 12
    python benchmarks/fetch.py --pages 20000 --kills 12 --build     and a corpus of what came

The server is a process of its own on many loopback addresses, one of which plays the Wayback
Machine; no other address is contacted. It sends newsroom stories, and a known share of its pages
is slow, cut short, endless, packed into bombs, in the wrong charset, forbidden, moved in a circle,
or not to be had at first. It counts what it was asked for and what it delivered.

Checked at the end: what became of every address, against what the server had planned for it; that
nothing which had been delivered whole was asked for again, but for what was under way at a kill;
the WARCs, by warcio's own `check`. Printed: pages per second, and the memory of the fetching
process at each quarter of the way.
"""

import argparse
import asyncio
import gzip
import json
import multiprocessing
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cloze.newsroom.generator import write_story

HOSTS = [f"127.0.0.{number}" for number in range(2, 34)]
ARCHIVE = "127.0.0.1"
IN_THE_ARCHIVE = 10  # per cent
SECONDS = 5.0  # for a reply
# How many in ten thousand pages do what, and what is to become of them.
KINDS = {
    "missing": (400, "missing"),
    "forbidden": (150, "refused"),
    "disallowed": (150, "refused"),
    "a PDF": (100, "failed"),
    "broken": (50, "failed"),
    "cut short": (50, "failed"),
    "a loop": (50, "failed"),
    "a bomb": (5, "failed"),
    "endless": (5, "failed"),
    "silent": (4, "failed"),
    "dripping": (4, "failed"),
    "broken at first": (100, "fetched"),
    "cut short at first": (100, "fetched"),
    "busy at first": (8, "fetched"),
    "moved": (300, "fetched"),
    "packed": (3000, "fetched"),
    "in chunks": (1000, "fetched"),
    "in the wrong charset": (500, "fetched"),
}
AT_FIRST = ("broken at first", "cut short at first", "busy at first")


def kind_of(number: int) -> str:
    place = random.Random(f"kind {number}").randrange(10_000)
    for kind, (share, _) in KINDS.items():
        if place < share:
            return kind
        place -= share
    return "plain"


def outcome_of(number: int) -> str:
    kind = kind_of(number)
    # An archive has no robots.txt that would hold for its pages.
    if kind == "disallowed" and is_archived(number):
        return "fetched"
    return KINDS.get(kind, (0, "fetched"))[1]


def is_archived(number: int) -> bool:
    return number % 100 < IN_THE_ARCHIVE


def address_of(number: int, port: int) -> str:
    if is_archived(number):
        page = f"http://www.cnn.com/2015/03/09/{path_of(number)}"
        return f"http://{ARCHIVE}:{port}/web/20150401000000id_/{page}"
    return f"http://{HOSTS[number % len(HOSTS)]}:{port}/{path_of(number)}"


def path_of(number: int) -> str:
    return f"{'no/' if kind_of(number) == 'disallowed' else ''}story-{number}"


def html(number: int) -> str:
    story, _ = write_story(1, number)
    bullets = "".join(f"<li>{text}</li>" for text in story.highlights)
    paragraphs = story.article.split("\n\n")
    if is_archived(number):
        body = "".join(f'<p class="zn-body__paragraph">{text}</p>' for text in paragraphs)
        bullets = f'<ul class="el__storyhighlights__list">{bullets}</ul>'
    else:
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        bullets = f'<ul class="key-points">{bullets}</ul>'
    furniture = "".join(f"<div class='teaser'><a href='/{n}'>More {n}</a></div>" for n in range(50))
    return (
        f"<!DOCTYPE html><html><head><title>Story {number}</title></head><body><nav>News</nav>"
        f"<article><h1>{paragraphs[0][:60]}</h1>{bullets}{body}</article>{furniture}</body></html>"
    )


def reply(path: str, before: int) -> tuple[bytes, str]:
    """What is sent, and how: whole, cut, endless, silent, dripping."""
    if path == "/robots.txt":
        return _whole(b"User-agent: *\nDisallow: /no/\n", kind="text/plain"), "whole"
    number = int(path.rpartition("story-")[2].partition("?")[0])
    kind = kind_of(number)
    if kind in AT_FIRST and before:
        kind = "plain"
    body = html(number).encode()
    simple = {
        "missing": ("404 Not Found", b"gone"),
        "forbidden": ("403 Forbidden", b"no"),
        "broken": ("500 Internal Server Error", b"oops"),
        "broken at first": ("503 Service Unavailable", b"later"),
    }
    if kind in simple:
        status, text = simple[kind]
        return _whole(text, status=status), "whole"
    if kind == "busy at first":
        return _whole(b"slowly", status="429 Too Many Requests", more="Retry-After: 1\r\n"), "whole"
    if kind == "a PDF":
        return _whole(b"%PDF-1.4" * 500, kind="application/pdf"), "whole"
    if kind in ("a loop", "moved") and (kind == "a loop" or "?" not in path):
        where = f"Location: {path.partition('?')[0]}?again\r\n"
        return _whole(b"", status="302 Found", more=where), "whole"
    if kind == "packed":
        return _whole(gzip.compress(body, 1), more="Content-Encoding: gzip\r\n"), "whole"
    if kind == "a bomb":
        return _whole(BOMB, more="Content-Encoding: gzip\r\n"), "whole"
    if kind == "in chunks":
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        return head.encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body), "whole"
    if kind == "in the wrong charset":
        return _whole(html(number).encode("windows-1252", "replace")), "whole"
    if kind in ("cut short", "cut short at first"):
        return _whole(body)[: len(body) // 2], "cut"
    return _whole(body), kind if kind in ("endless", "silent", "dripping") else "whole"


def _whole(
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = "text/html; charset=utf-8",
    more: str = "",
) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


BOMB = gzip.compress(b"\0" * (100 << 20))


class Server:
    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()

    async def serve(self, pipe: Connection) -> None:
        first = await asyncio.start_server(self._connection, ARCHIVE, 0)
        port = first.sockets[0].getsockname()[1]
        others = [await asyncio.start_server(self._connection, host, port) for host in HOSTS]
        pipe.send(port)
        while not pipe.poll():
            await asyncio.sleep(0.05)
        pipe.send((dict(self.asked), dict(self.delivered)))
        for each in (first, *others):
            each.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split()[1].decode()
        before = self.asked[path]
        self.asked[path] += 1
        content, how = reply(path, before)
        if how == "silent":
            await asyncio.sleep(4 * SECONDS)
            return False
        if how == "dripping":
            for byte in content:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        while how == "endless":
            writer.write(content.replace(b"Content-Length", b"X-Length"))
            await writer.drain()
        writer.write(content)
        await writer.drain()
        if how == "whole":
            self.delivered[path] += 1
        return how == "whole"


def serve(pipe: Connection) -> None:
    asyncio.run(Server().serve(pipe))


class Run:
    """The command, started again after every kill."""

    def __init__(self, folder: Path, port: int, seed: int) -> None:
        self.out = folder / "fetched"
        self.words = [
            *(sys.executable, "-m", "cloze", "fetch", str(folder / "urls.txt"), str(self.out)),
            *("--contact", "benchmark@example.org", "--allow-local", "--every", "0"),
            *("--archive", f"http://{ARCHIVE}:{port}", "--archive-every", "0"),
            *("--hosts", str(len(HOSTS) + 1), "--pause", "6", "--seconds", str(SECONDS)),
        ]
        self.memory: dict[int, int] = {}  # MiB at most, by quarter of the way
        self.chance = random.Random(seed)
        self.kills: list[int] = []

    def until(self, pages: int, total: int) -> bool:
        """Run until so many addresses are settled, then kill; False if it came to its end."""
        process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL)
        while process.poll() is None:
            settled = self.settled()
            quarter = min(settled * 4 // total, 3)
            self.memory[quarter] = max(self.memory.get(quarter, 0), _resident(process.pid))
            if settled >= pages:
                time.sleep(self.chance.uniform(0, 0.02))
                process.kill()
                process.wait()
                self.kills.append(settled)
                return True
            time.sleep(0.02)
        if process.returncode:
            sys.exit(f"cloze fetch ended with {process.returncode}")
        return False

    def settled(self) -> int:
        account = self.out / "account.sqlite"
        try:
            with sqlite3.connect(f"file:{account}?mode=ro", uri=True) as base:
                found = base.execute("select count(*) from addresses where outcome is not null")
                return int(found.fetchone()[0])
        except sqlite3.Error:
            return 0


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE") >> 20


def check(run: Run, pages: int, port: int, asked: dict[str, int], delivered: dict[str, int]) -> int:
    """Compare the account with the plan and with the server's own counts; returns the faults."""
    with sqlite3.connect(run.out / "account.sqlite") as base:
        rows = base.execute("select address, outcome, reason, file from addresses").fetchall()
    account = {address: (outcome, reason, file) for address, outcome, reason, file in rows}
    faults = 0
    outcomes: Counter[tuple[str, str]] = Counter()
    for number in range(pages):
        outcome, reason, _ = account.pop(address_of(number, port), (None, None, None))
        outcomes[kind_of(number), outcome] += 1
        if outcome != outcome_of(number):
            faults += 1
            print("not as planned:", address_of(number, port), kind_of(number), outcome, reason)
    faults += len(account)
    for (kind, outcome), count in sorted(outcomes.items()):
        print(f"{count:>9,} {kind}: {outcome}")
    lasting = {path for path in delivered if not path.endswith("robots.txt")}
    repeated = sum(max(0, delivered[path] - _planned(path)) for path in lasting)
    under_way = len(run.kills) * (len(HOSTS) + 1)
    print(f"{sum(asked.values()):,} requests, {sum(delivered.values()):,} whole replies; delivered")
    print(f"more often than planned: {repeated:,}, of at most {under_way:,} under way at the kills")
    faults += repeated > under_way
    faults += _check_warcs(run.out, sum(1 for n in range(pages) if outcome_of(n) == "fetched"))
    return faults


def _planned(path: str) -> int:
    """How often a page is delivered whole: once, unless it is one that fails at first."""
    number = int(path.rpartition("story-")[2].partition("?")[0])
    kind = kind_of(number)
    if kind in ("broken at first", "busy at first"):
        return 2
    if kind == "broken":
        return 3
    return 5 if kind == "a loop" and "?" in path else 1


def _check_warcs(folder: Path, expected: int) -> int:
    files = [str(path) for path in sorted(folder.glob("*.warc.gz"))]
    size = sum(Path(file).stat().st_size for file in files)
    checked = subprocess.run([sys.executable, "-m", "warcio.cli", "check", *files])
    listed = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "index", "-f", "warc-type,warc-record-id", *files],
        capture_output=True,
        text=True,
        check=True,
    )
    kinds = Counter(json.loads(line)["warc-type"] for line in listed.stdout.splitlines())
    print(f"{len(files)} WARC, {size / 1e6:.0f} MB: warcio check {checked.returncode},", end=" ")
    print(f"{kinds['response']:,} pages of {expected:,}")
    return (checked.returncode != 0) + (kinds["response"] != expected)


def build(folder: Path, out: Path, workers: int) -> None:
    files = [str(path) for path in sorted(out.glob("*.warc.gz"))]
    words = [sys.executable, "-m", "cloze", "build", *files, str(folder / "corpus")]
    subprocess.run(
        [*words, "--pipeline", "rules:en", "--workers", str(workers), "--overwrite"], check=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where to leave the pages (default: nowhere)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        faults = fetched(folder, given)
        if given.build:
            build(folder, folder / "fetched", given.workers)
    print(f"{faults} faults")
    sys.exit(faults > 0)


def fetched(folder: Path, given: Any) -> int:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    addresses = [address_of(number, port) for number in range(given.pages)]
    (folder / "urls.txt").write_text("\n".join(addresses) + "\n")
    run = Run(folder, port, given.seed)
    begun = time.monotonic()
    moments = sorted(run.chance.sample(range(1, given.pages * 3 // 4), given.kills))
    for moment in [*moments, given.pages + 1]:
        run.until(moment, given.pages)
    seconds = time.monotonic() - begun
    print(f"{given.pages:,} addresses in {seconds:.0f} s: {given.pages / seconds:,.0f} per second,")
    print(
        f"killed {len(run.kills)} times, when {', '.join(f'{n:,}' for n in run.kills)} were settled"
    )
    told = ", ".join(f"{run.memory[quarter]} MiB" for quarter in sorted(run.memory))
    print(f"memory at most, in each quarter of the way: {told}")
    ours.send("enough")
    asked, delivered = ours.recv()
    server.terminate()
    return check(run, given.pages, port, asked, delivered)


if __name__ == "__main__":
    main()
