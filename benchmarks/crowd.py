"""A crowd of clients that ask `cloze serve` over and over, and what they see."""

import asyncio
import itertools
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What clients saw."""

    answered: list[float] = field(default_factory=list)  # seconds
    refused: list[float] = field(default_factory=list)
    other: Counter[str] = field(
        default_factory=Counter
    )  # neither: a cut connection, another status
    without_retry_after: int = 0

    def line(self) -> str:
        parts = [f"{len(self.answered):6} answered {_quantiles(self.answered)}"]
        parts.append(f"{len(self.refused):6} refused {_quantiles(self.refused)}")
        if self.without_retry_after:
            parts.append(f"{self.without_retry_after} WITHOUT Retry-After")
        parts.append(f"else: {dict(self.other) or 'nothing'}")
        return "; ".join(parts)


def _quantiles(seconds: list[float]) -> str:
    if not seconds:
        return "(none)"
    ordered = sorted(seconds)
    at = [ordered[min(len(ordered) - 1, int(q * len(ordered)))] for q in (0.5, 0.99)]
    return f"(p50 {1000 * at[0]:.0f}, p99 {1000 * at[1]:.0f}, most {1000 * ordered[-1]:.0f} ms)"


class Client:
    """One connection at a time; asks, waits for the whole answer, and asks again."""

    def __init__(self, port: int, tally: Tally, *, patient: bool) -> None:
        self.port, self.tally, self.patient = port, tally, patient
        self.stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask_all(self, work: Iterator[bytes]) -> None:
        for body in work:
            try:
                await asyncio.sleep(await self.ask(body))
            except (OSError, asyncio.IncompleteReadError) as problem:
                self.tally.other[type(problem).__name__] += 1
                self.close()
                if isinstance(problem, ConnectionRefusedError):
                    break
        self.close()

    async def ask(self, body: bytes) -> float:
        """Ask once; returns how many seconds the client then waits."""
        begun = time.perf_counter()
        if self.stream is not None and self.stream[0].at_eof():
            self.close()
        if self.stream is None:
            self.stream = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.stream
        head = "POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        received = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(_header(received, b"content-length") or 0))
        seconds = time.perf_counter() - begun
        if _header(received, b"connection") == b"close":
            self.close()
        return self.note(
            int(received.split(b" ", 2)[1]), seconds, _header(received, b"retry-after")
        )

    def note(self, status: int, seconds: float, retry_after: bytes) -> float:
        if status == 200:
            self.tally.answered.append(seconds)
            return 0.0
        if status != 503:
            self.tally.other[str(status)] += 1
            return 0.0
        self.tally.refused.append(seconds)
        self.tally.without_retry_after += not retry_after
        return float(retry_after or 0) if self.patient else 0.0

    def close(self) -> None:
        if self.stream is not None:
            self.stream[1].close()
            self.stream = None


def _header(received: bytes, name: bytes) -> bytes:
    found = re.search(rb"\r\n" + name + rb": ([^\r]*)", received)
    return found[1] if found else b""


def crowd(
    port: int,
    clients: int,
    work: Iterator[bytes],
    seconds: float,
    *,
    patient: bool = True,
    tally: Tally | None = None,
) -> Tally:
    """This many clients for this long, or until there is no more work."""
    tally = tally or Tally()
    end = time.monotonic() + seconds
    shared = itertools.takewhile(lambda _: time.monotonic() < end, work)

    async def everybody() -> None:
        each = [Client(port, tally, patient=patient) for _ in range(clients)]
        await asyncio.gather(*(client.ask_all(shared) for client in each))

    asyncio.run(everybody())
    return tally
