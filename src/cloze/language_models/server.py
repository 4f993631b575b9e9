"""One request to a server and what came of it, whatever the server does."""

import asyncio
import json
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from cloze.extras import needs
from cloze.language_models.address import Address, Key
from cloze.language_models.replies import Reply
from cloze.language_models.request import Request, estimated_tokens
from cloze.retry_after import seconds_to_wait

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 4 << 20  # of a reply; ten thousand tokens are about fifty thousand bytes
CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """No reply this time."""

    what: str  # "too many requests", "time-out", "server error 503" …
    again: bool = True  # whether asking again may help
    busy: bool = False  # the server has too much to do
    too_many: bool = False  # and says so
    wait: float | None = None  # seconds, as the server asked for
    fatal: bool = False  # no other question will fare better
    away: bool = False  # there is no server


class Server:
    """Connections to one address, kept open between requests."""

    def __init__(self, address: Address, key: Key, *, seconds: float, connections: int) -> None:
        self._address, self._key, self._seconds = address, key, seconds
        self._connections = connections
        self._client: httpx.AsyncClient

    async def __aenter__(self) -> Self:
        httpx = _httpx()
        self._client = httpx.AsyncClient(
            headers={"Content-Type": "application/json", **self._key.headers},
            timeout=httpx.Timeout(self._seconds, connect=CONNECT_SECONDS),
            limits=httpx.Limits(
                max_connections=self._connections, max_keepalive_connections=self._connections
            ),
            trust_env=not self._address.local,  # a proxy is for what is beyond this machine
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def ask(self, request: Request) -> Reply | Trouble:
        httpx = _httpx()
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(self._seconds):
                async with self._client.stream(
                    "POST", self._address.url, content=request.body
                ) as answer:
                    body = await _read(answer)
        except (httpx.ConnectError, httpx.ConnectTimeout) as problem:
            return Trouble(self._said(f"cannot be reached ({problem})"), away=True)
        except (TimeoutError, httpx.TimeoutException):
            return Trouble("time-out", busy=True)
        except httpx.HTTPError as problem:
            return Trouble(self._said(f"no connection ({type(problem).__name__})"))
        except httpx.InvalidURL as problem:
            return Trouble(self._said(f"is no address ({problem})"), again=False, fatal=True)
        if body is None:
            return Trouble(f"a reply of over {MOST_BYTES >> 20} MiB", again=False)
        if answer.status_code != 200:
            return self._refusal(answer.status_code, answer.headers.get("retry-after", ""), body)
        return self._reply(body, request, time.perf_counter() - begun)

    def _refusal(self, status: int, retry_after: str, body: bytes) -> Trouble:
        wait = seconds_to_wait(retry_after)
        if status == 429:
            return Trouble("too many requests", busy=True, too_many=True, wait=wait)
        if status >= 500 or status == 408:
            return Trouble(f"server error {status}", wait=wait)
        what = self._said(f"the server refuses the request ({status}{_message(body)})")
        return Trouble(what, again=False, fatal=status in (401, 403, 404, 405) or status < 400)

    def _reply(self, body: bytes, request: Request, seconds: float) -> Reply | Trouble:
        """Tokens that the server does not count are estimated."""
        try:
            found = _parse(json.loads(body))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return Trouble("a reply that is not the interface's JSON")
        text, finish, refused, read, written = found
        read, written = read or request.tokens_read, written or estimated_tokens(text)
        text, finish = self._key.hide(text), self._key.hide(finish)
        return Reply(None, text, finish, refused, read, written, seconds)

    def _said(self, what: str) -> str:
        return self._key.hide(" ".join(what.split()))[:300]


async def _read(answer: "httpx.Response") -> bytes | None:
    parts, total = [], 0
    async for part in answer.aiter_bytes():
        parts.append(part)
        total += len(part)
        if total > MOST_BYTES:
            return None
    return b"".join(parts)


def _parse(whole: Any) -> tuple[str, str, bool, int, int]:
    """Text, why it ended, whether it is a refusal, tokens read and written."""
    choice = whole["choices"][0]
    message = choice.get("message") or {}
    text = message.get("content") if "message" in choice else choice["text"]
    refusal = message.get("refusal")
    usage = whole.get("usage") or {}
    read, written = (int(usage.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion"))
    said = text or refusal or ""
    if not isinstance(said, str):
        raise TypeError
    # Half of a character, which JSON can hold, is no text that could be kept.
    said = said.encode("utf-8", "replace").decode()
    return said, str(choice.get("finish_reason") or ""), bool(refusal), read, written


def _message(body: bytes) -> str:
    """What an error says in its JSON, if it does."""
    try:
        error = json.loads(body)["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""
    return f": {said}" if isinstance(said, str) else ""


def _httpx() -> Any:
    with needs("endpoint"):
        import httpx
    return httpx
