"""Load on `cloze serve` from a second process: requests/s, latencies, failures, memory.

    python benchmarks/serve.py                        the reader that answers by default
    python benchmarks/serve.py models/attentive       a reader of yours
    python benchmarks/serve.py --requests 500 --memory 1000

Every request is a newsroom story with a question. "new" stories have not been seen by the server,
so it must find their names; "again" asks about stories that it has just read. The rival is the
same server handling one request at a time instead of all waiting ones together.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from cloze.newsroom import stories
from cloze.newsroom.gold import Gold
from cloze.stories import Story

CLIENTS = (1, 8, 32)


def serve(model: str, batch: int, told: Connection) -> None:
    """The server process."""
    from cloze.ask.guard import Limits
    from cloze.ask.reading_process import ReadingProcess
    from cloze.ask.reading_work import Loading
    from cloze.ask.running import bind, run
    from cloze.ask.server import create_app

    listening = bind("127.0.0.1", 0)
    limits = Limits(batch=batch, patience=1e9)  # nobody is refused: all wait
    reading = ReadingProcess(Loading([model], batch))
    app = create_app(reading, [], limits=limits)
    run(app, listening, lambda: told.send(listening.getsockname()[1]), reading)


def bodies(seed: int, stories_each: int = 1, paragraphs: int | None = None) -> Iterator[bytes]:
    """Requests without end, no story twice; each article is that many stories in a row, or the
    first paragraphs of them."""
    for start in itertools.count(0, 100 * stories_each):
        batch = list(stories(seed, 100 * stories_each, start))
        for first in range(0, len(batch), stories_each):
            several = batch[first : first + stories_each]
            article = "\n\n".join(story.article for story, _ in several)
            article = "\n\n".join(article.split("\n\n")[:paragraphs])
            question = _question(*several[0])
            if question:
                yield json.dumps({"article": article, "question": question}).encode()


def _question(story: Story, gold: Gold) -> str | None:
    for highlight, mentions in zip(story.highlights, gold.highlights, strict=True):
        if mentions:
            return f"{highlight[: mentions[0].start]}___{highlight[mentions[0].end :]}"
    return None


async def client(
    port: int, work: Iterator[bytes], times: list[float], failed: Counter[int]
) -> None:
    """One connection that asks, waits for the whole answer, and asks again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for body in work:
        begun = time.perf_counter()
        head = (
            "POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        received = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(received.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
        await reader.readexactly(length)
        status = int(received.split(b" ", 2)[1])
        if status == 200:
            times.append(time.perf_counter() - begun)
        else:
            failed[status] += 1
    writer.close()


def load(port: int, clients: int, work: list[bytes]) -> tuple[float, list[float], Counter[int]]:
    """Send all the work from this many clients; seconds, latencies, failures by status."""
    times: list[float] = []
    failed: Counter[int] = Counter()

    async def crowd() -> None:
        shared = iter(work)
        await asyncio.gather(*(client(port, shared, times, failed) for _ in range(clients)))

    begun = time.perf_counter()
    asyncio.run(crowd())
    return time.perf_counter() - begun, sorted(times), failed


def resident(pid: int) -> float:
    """Megabytes of memory that a process and its children hold."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(map(resident, children))


class Server:
    def __init__(self, model: str, batch: int) -> None:
        context = multiprocessing.get_context("spawn")
        hears, tells = context.Pipe(duplex=False)
        self.process = context.Process(target=serve, args=(model, batch, tells))
        self.process.start()
        self.port: int = hears.recv()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGTERM)
        self.process.join()


def table(port: int, requests: int, new: Iterator[bytes]) -> dict[tuple[str, int], float]:
    print("stories  clients requests/s  p50 ms  p95 ms  p99 ms failed")
    rates: dict[tuple[str, int], float] = {}
    for clients in CLIENTS:
        count = max(requests, 4 * clients)
        work = list(itertools.islice(new, count))
        again = [work[k % 50] for k in range(count)]
        load(port, 1, again[:50])
        for name, bodies_ in (("new", work), ("again", again)):
            if name == "again":
                load(port, 1, again[:50])  # the server remembers the last 256 texts
            seconds, times, failed = load(port, clients, bodies_)
            rates[name, clients] = len(times) / seconds
            at = [1000 * times[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.95, 0.99)]
            print(
                f"{name:8} {clients:7} {rates[name, clients]:10.1f} "
                f"{at[0]:7.1f} {at[1]:7.1f} {at[2]:7.1f} {failed.total()}"
            )
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", nargs="?", help="a model directory")
    parser.add_argument("--requests", type=int, default=300, help="for each line of the table")
    parser.add_argument("--memory", type=int, default=5000, help="requests of the memory test")
    options = parser.parse_args()
    from cloze.readers.shipped_models import shipped_models

    model = options.model or str(shipped_models()[0])
    print(f"{Path(model).name}; {os.cpu_count()} cores for the server and the clients together\n")
    new = bodies(seed=7)
    with Server(model, batch=16) as server:
        ours = table(server.port, options.requests, new)
        memory(server, options.memory, new)
    print("\nthe rival: one request at a time\n")
    with Server(model, batch=1) as server:
        rival = table(server.port, options.requests, new)
    print()
    for (name, clients), rate in ours.items():
        ratio = rate / rival[name, clients]
        print(f"{name:6} {clients:3} clients: {ratio:.2f} times the rival")


def memory(server: Server, requests: int, new: Iterator[bytes]) -> None:
    assert server.process.pid is not None
    step = max(1, requests // 10)
    held = []
    failures = 0
    for _ in range(10):
        _, _, failed = load(server.port, 8, list(itertools.islice(new, step)))
        failures += failed.total()
        held.append(resident(server.process.pid))
    print(f"\nmemory in MB after each {step} of {10 * step} new stories, 8 clients:")
    print("  " + "  ".join(f"{mb:.0f}" for mb in held) + f"   ({failures} failed)")


if __name__ == "__main__":
    main()
