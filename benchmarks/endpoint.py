"""How fast language models can be asked: questions/s against a server that answers at once.

    python benchmarks/endpoint.py                         5,000 questions
    python benchmarks/endpoint.py --questions 50000       and whether memory stays flat

The server runs in a process of its own. Rendering, hashing and keeping are all counted.
The rival is httpx alone: it sends the same requests, and throws the replies away. Seconds of the
processor are those of the asking process: on a busy machine they mean more than the clock.
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from cloze.document import Point
from cloze.language_models.address import Key, parse_address
from cloze.language_models.asking import Manner
from cloze.language_models.forms import Form
from cloze.language_models.model import LanguageModel
from cloze.language_models.prompts import Prompt
from cloze.language_models.replies import Replies
from cloze.language_models.request import Interface, Settings
from cloze.newsroom.corpus import to_point
from cloze.newsroom.generator import stories

AT_ONCE = 32
REPLY = json.dumps(
    {
        "choices": [{"message": {"content": "@entity00"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 3},
    }
).encode()
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
    REPLY
)


def serve(told: Connection) -> None:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r")[0]))
                writer.write(WHOLE + REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(one, "127.0.0.1", 0, limit=1 << 20)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def points(questions: int) -> Iterator[Point]:
    """Newsroom stories under ever new ids, which draw ever new markers: no prompt comes twice."""
    known = [to_point(story, gold)[0] for story, gold in stories(1, 200)]
    count = number = 0
    while count < questions:
        document, asked = known[number % len(known)]
        name = f"{document.id}-{number}"
        own = [replace(q, id=f"{q.id}-{number}", document_id=name) for q in asked]
        count += len(own)
        number += 1
        yield replace(document, id=name), own[: len(own) - max(0, count - questions)]


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def busy() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def rival(url: str, model: LanguageModel, questions: int) -> None:
    import httpx

    left = (request.body for request in model.requests(points(questions)))
    limits = httpx.Limits(max_connections=AT_ONCE)
    async with httpx.AsyncClient(limits=limits, timeout=None) as client:

        async def work() -> None:
            for body in left:
                (await client.post(url, content=body)).json()

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))


def timed(what: str, questions: int, run: object) -> float:
    begun, used = time.perf_counter(), busy()
    run()  # type: ignore[operator]
    wall, cpu = time.perf_counter() - begun, busy() - used
    print(
        f"{what:28} {questions / wall:7,.0f} questions/s  {1000 * cpu / questions:5.2f} ms of the "
        f"processor each  {megabytes():6,.0f} MB",
        flush=True,
    )
    return questions / wall


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=5000)
    questions = parser.parse_args().questions
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    address = parse_address(f"http://127.0.0.1:{ours.recv()}/v1")
    settings = Settings(address.url, "instant", Interface.CHAT, Prompt.built_in("chat"))
    with tempfile.TemporaryDirectory() as folder:
        replies = Replies(Path(folder) / "replies.sqlite")
        manner = Manner(at_once=AT_ONCE)
        model = LanguageModel(settings, Form.MARKERS, replies, address, Key(""), manner)
        some = min(questions, 2000)
        alone = timed("httpx alone", some, lambda: asyncio.run(rival(address.url, model, some)))
        tenth = questions // 10
        timed("asking, the first tenth", tenth, lambda: model.collect(points(tenth)))
        rest = timed(
            "asking, the rest", questions - tenth, lambda: model.collect(points(questions))
        )
        timed(
            "scoring what is kept",
            questions,
            lambda: sum(1 for _ in model.answer(points(questions))),
        )
        replies.close()
    server.terminate()
    print(f"{rest / alone:.2f} of the rival's rate")


if __name__ == "__main__":
    main()
