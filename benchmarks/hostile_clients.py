"""What `cloze serve` does when clients are hostile, or too many.

    python benchmarks/hostile_clients.py                         everything, the default readers
    python benchmarks/hostile_clients.py slow-headers            one part
    python benchmarks/hostile_clients.py crowd --stories 7       longer articles
    python benchmarks/hostile_clients.py crowd --model runs/a    another reader
    python benchmarks/hostile_clients.py memory --paragraphs 1   shorter articles

slow-headers  10,000 connections send a byte of their headers every second and come back ten seconds
              after they were cut off, from 200 other addresses than eight good clients', then from
              the same one
crowd         200 clients at once, each asking again as soon as it is answered: once waiting as
              long as a refusal says, once not at all
memory        20,000 requests; the server's memory after each 2,000
sigterm       SIGTERM while 200 clients ask

The server runs as a process of its own, as a user starts it; server and clients share the machine.
"""

import argparse
import errno
import itertools
import multiprocessing
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from crowd import crowd
from serve import bodies, resident

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BIND_ADDRESS_NO_PORT = 24  # the port is chosen when connecting, so that they do not run out
PAUSE = 10.0  # seconds until whoever was cut off comes back


@dataclass
class Server:
    process: "subprocess.Popen[str]"
    port: int

    def connections(self) -> int:
        """Connections that the server holds open."""
        count = 0
        for link in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed by now
                count += "socket" in os.readlink(link)
        return count

    def cpu_seconds(self) -> float:
        """Spent by the process that talks to clients; tells more than a clock on a busy machine."""
        spent = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Of the process that talks to clients and of the one that reads, together."""
        return resident(self.process.pid)


@contextmanager
def serving(model: str | None) -> Iterator[Server]:
    command = [sys.executable, "-m", "cloze", "serve", *([model] if model else []), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found, "the server did not start"
        yield Server(process, int(found[1]))
    finally:
        process.terminate()
        process.wait()


def dribble(port: int, sources: list[str], count: int, stop: Event) -> None:
    """The process of the hostile clients: `count` connections whose headers never end."""
    open_now: dict[int, socket.socket] = {}
    back_at = dict.fromkeys(range(count), 0.0)
    while not stop.wait(0.0):
        begun = time.monotonic()
        for number in range(count):
            link = open_now.get(number)
            if link is None and begun >= back_at[number]:
                open_now[number] = _connect(port, sources[number % len(sources)])
            elif link is not None and not _send_byte(link):
                back_at[number] = begun + PAUSE
                open_now.pop(number).close()
        stop.wait(max(0.0, 1.0 - (time.monotonic() - begun)))


def _connect(port: int, source: str) -> socket.socket:
    link = socket.socket()
    link.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
    link.bind((source, 0))
    link.setblocking(False)
    if link.connect_ex(("127.0.0.1", port)) in (0, errno.EINPROGRESS):
        with suppress(OSError):  # not connected yet: the byte of the next round comes first
            link.send(HEAD)
    return link


def _send_byte(link: socket.socket) -> bool:
    """Whether the connection is still open."""
    try:
        link.send(b"x")
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True


@contextmanager
def attackers(port: int, sources: list[str], count: int) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    process = context.Process(target=dribble, args=(port, sources, count, stop))
    process.start()
    try:
        yield
    finally:
        stop.set()
        process.join()


def slow_headers(server: Server, new: Iterator[bytes], options: argparse.Namespace) -> None:
    others = [f"127.0.0.{k}" for k in range(2, 202)]
    print(f"good clients alone: {crowd(server.port, 8, new, options.seconds).line()}")
    for name, sources in (("200 other addresses", others), ("the same address", ["127.0.0.1"])):
        before, begun = server.cpu_seconds(), time.monotonic()
        with attackers(server.port, sources, options.connections):
            time.sleep(5)  # until all of them have tried
            seen = crowd(server.port, 8, new, options.seconds)
            held, memory = server.connections(), server.megabytes()
            cpu, passed = server.cpu_seconds() - before, time.monotonic() - begun
        print(f"beside {options.connections:,} slow connections from {name}: {seen.line()}")
        print(f"  the server holds {held} sockets and {memory:.0f} MB", end=", ")
        print(f"and spent {cpu:.1f} s of CPU on its connections in {passed:.0f} s")


def together(server: Server, new: Iterator[bytes], options: argparse.Namespace) -> None:
    for name, patient in (("wait as they are told", True), ("ask again at once", False)):
        seen = crowd(server.port, 200, new, options.seconds, patient=patient)
        print(f"200 clients that {name}: {seen.line()}")


def memory(server: Server, new: Iterator[bytes], options: argparse.Namespace) -> None:
    step = options.requests // 10
    print(f"memory in MB after each {step} of {10 * step} requests, 8 clients:")
    for _ in range(10):
        seen = crowd(server.port, 8, itertools.islice(new, step), 1e9)
        print(f"  {server.megabytes():.0f}; {seen.line()}", flush=True)


def sigterm(server: Server, new: Iterator[bytes], options: argparse.Namespace) -> None:
    timer = threading.Timer(5, server.process.send_signal, [signal.SIGTERM])
    timer.start()
    seen = crowd(server.port, 200, new, 60)
    assert server.process.stdout is not None
    print(f"SIGTERM under 200 clients: {seen.line()}")
    print(f"  {server.process.stdout.read().strip()!r}, exit code {server.process.wait()}")


PARTS = {"slow-headers": slow_headers, "crowd": together, "memory": memory, "sigterm": sigterm}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them if none")
    parser.add_argument("--model", help="a model's folder or a baseline; else the default readers")
    parser.add_argument("--stories", type=int, default=1, help="newsroom stories in an article")
    parser.add_argument("--paragraphs", type=int, help="of the article: shorter ones")
    parser.add_argument("--seconds", type=float, default=30, help="for each measurement")
    parser.add_argument("--connections", type=int, default=10_000, help="of slow headers")
    parser.add_argument("--requests", type=int, default=20_000, help="of the memory test")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # More texts than the server remembers, so that it must find the names of each.
    new = itertools.cycle(
        list(itertools.islice(bodies(7, options.stories, options.paragraphs), 2000))
    )
    print(f"{options.model or 'the default readers'}, {os.cpu_count()} cores for all", flush=True)
    for name in options.parts or PARTS:
        with serving(options.model) as server:
            PARTS[name](server, new, options)


if __name__ == "__main__":
    main()
