"""The web page and its interface: FastAPI over a `Service`, behind a `Guard`.

    POST /api/read      an article and perhaps a question -> entities, gaps, answers, attention
    GET  /api/models    the readers that are loaded
    GET  /api/examples  made-up stories to try them on
    GET  /openapi.json  the description of the three

Nothing is kept between requests, and no request can name a file: the page's files are read once,
when the server starts, and served under fixed addresses.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Protocol

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from cloze.ask.guard import Guard, Limits
from cloze.ask.host import LOOPBACK
from cloze.ask.messages import (
    MOST_CHARACTERS,
    Example,
    ModelCard,
    Problem,
    ReadRequest,
    ReadResponse,
)
from cloze.ask.service import Outcome
from cloze.version import __version__

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_OURS = [
    "index.html",
    "style.css",
    "icon.svg",
    "app.js",
    "answers.js",
    "corrections.js",
    "elements.js",
    "keep.js",
    "link.js",
    "ranking.js",
    "readers.js",
    "reading.js",
    "server.js",
    "word_menu.js",
]
_FROM_REPORTS = ["base.css", "heatmap.css", "heatmap.js"]  # the heat map that the reports use too
_WHY = {
    400: "The request is not for this server, or cannot be parsed at all.",
    404: "There is no such model.",
    408: "The request did not arrive in time.",
    413: "The request is too large.",
    422: "The request is well-formed but cannot be answered: no gap, too long an article, ...",
    503: "Too many requests at once, or this one took too long; try again.",
}
_NAMES = {404: "not_found", 405: "wrong_method"}


class Responder(Protocol):
    """What answers: a `Service`, here or in a process of its own."""

    cards: list[ModelCard]

    async def answer(self, request: ReadRequest) -> Outcome: ...

    async def warm_up(self) -> None: ...

    def close(self) -> None: ...


def create_app(
    service: Responder,
    examples: Sequence[Example],
    *,
    limits: Limits | None = None,
    hosts: Collection[str] | None = LOOPBACK,
) -> Guard:
    """The application behind its guard. `hosts` are the names it answers to (None: any)."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.warm_up()
        yield
        service.close()

    app = FastAPI(
        title="cloze",
        version=__version__,
        summary="Ask a reader about your own article.",
        docs_url=None,  # the usual pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_errors(app)
    _add_page(app)

    refusals = _problems(400, 404, 408, 413, 422, 503)

    @app.post("/api/read", response_model=ReadResponse, responses=refusals)
    async def read(request: ReadRequest) -> Response:
        """Find the names of an article, offer gaps, and answer a question."""
        status, json = await service.answer(request)
        return Response(json, status, media_type="application/json")

    @app.get("/api/models", responses=_problems(400, 503))
    async def models() -> list[ModelCard]:
        """The readers that are loaded."""
        return service.cards

    @app.get("/api/examples", responses=_problems(400, 503))
    async def stories() -> list[Example]:
        """Made-up stories, to try the readers on."""
        return list(examples)

    return Guard(app, limits or Limits(), hosts)


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem, "description": _WHY[status]} for status in statuses}


def _add_page(app: FastAPI) -> None:
    ours, reports = files("cloze.ask") / "page", files("cloze.reporting") / "templates"
    for name in (*_OURS, *_FROM_REPORTS):
        body = ((ours if name in _OURS else reports) / name).read_bytes()
        address = "/" if name == "index.html" else f"/{name}"
        kind = _TYPES[name.rsplit(".", 1)[1]]
        app.add_api_route(address, _constant(body, kind), include_in_schema=False)


def _constant(body: bytes, kind: str) -> Any:
    async def serve() -> Response:
        return Response(body, headers={"content-type": kind})

    return serve


def _add_errors(app: FastAPI) -> None:
    def problem(status: int, error: str, message: str, field: str | None = None) -> Response:
        body = Problem(error=error, message=message, field=field).model_dump_json()
        return Response(body, status, media_type="application/json")

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, mistake: RequestValidationError) -> Response:
        first = mistake.errors()[0]
        inside = [str(part) for part in first["loc"] if part != "body"]
        where = ".".join(inside)
        if inside == ["article"] and first["type"] == "string_too_long":
            line = f"the article has more than {MOST_CHARACTERS:,} characters"
            return problem(422, "too_long", f"{line} and at most 8,000 tokens can be read", where)
        line = f"{where}: {first['msg']}" if where else str(first["msg"])
        return problem(422, "invalid_request", line, inside[0] if inside else None)

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> Response:  # the traceback goes to the log
        return problem(500, "failed", "the server failed; this is a fault of ours")

    @app.exception_handler(HTTPException)
    async def other(_: Request, mistake: HTTPException) -> Response:
        error = _NAMES.get(mistake.status_code, "bad_request")
        answer = problem(mistake.status_code, error, str(mistake.detail))
        answer.headers.update(mistake.headers or {})
        return answer
