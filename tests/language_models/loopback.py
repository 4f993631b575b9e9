"""A server on loopback with the OpenAI interface that behaves, or misbehaves, as a test wants.

with Loopback(first_candidate) as server:
    ... server.url ...
server.asked        how often each prompt came
server.delivered    how often each got a reply
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import LoopbackServer


@dataclass
class Answer:
    """What goes back; `wait` is awaited first, `cut` sends only that many bytes and hangs up."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: Callable[[], Awaitable[Any]] | None = None
    cut: int | None = None


Behaviour = Callable[[str, int], Answer]  # (prompt, how often it came before) -> answer


def said(text: str, finish: str = "stop", **more: Any) -> Answer:
    """A well-formed reply, good for both interfaces."""
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": len(text.split())}
    return Answer(json.dumps({"choices": [choice], "usage": usage}).encode())


def candidates_of(prompt: str) -> list[str]:
    """As the built-in prompts list them."""
    return prompt.split("Candidates:\n")[1].split("\n\n")[0].splitlines()


def article_of(prompt: str) -> str:
    return prompt.split("Article:\n")[1].split("\n\nStatement")[0]


def first_candidate(prompt: str, _: int) -> Answer:
    return said(candidates_of(prompt)[0])


class Loopback(LoopbackServer):
    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.asked: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()
        self.headers: list[str] = []  # of the requests, as they came
        self.bodies: list[dict[str, Any]] = []
        self.most_at_once = 0
        self._at_once = 0

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    async def answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
        body = json.loads(await reader.readexactly(length))
        prompt = body["prompt"] if "prompt" in body else body["messages"][0]["content"]
        self.headers.append(head)
        self.bodies.append(body)
        before = self.asked[prompt]
        self.asked[prompt] += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._send(prompt, self.behaviour(prompt, before), writer)
        finally:
            self._at_once -= 1

    async def _send(self, prompt: str, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        if answer.wait is not None:
            await answer.wait()
        headers = {"Content-Type": "application/json", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} Said", f"Content-Length: {len(answer.body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        whole = "\r\n".join([*lines, "", ""]).encode() + answer.body
        writer.write(whole if answer.cut is None else whole[: answer.cut])
        await writer.drain()
        if answer.status == 200 and answer.cut is None:
            self.delivered[prompt] += 1
        return answer.cut is None
