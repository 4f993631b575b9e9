"""Readers with random weights, a server on loopback, and a browser."""

import contextlib
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from cloze.ask.examples import examples
from cloze.ask.guard import Guard, Limits
from cloze.ask.host import LOOPBACK
from cloze.ask.running import bind, configure
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.names.tokens import lowered, tokenise
from cloze.readers.reader import Reader
from cloze.readers.vocabulary import Vocabulary
from cloze.stories import Story
from tests.readers.cases import reader_config

from .in_browser import Page, opened

get, post = partial(httpx.get, timeout=None), partial(httpx.post, timeout=None)  # no clock

ARTICLE = (
    "The Harbour Line engineer allegedly shouted at by Mara Venn will not go to court, his lawyer"
    " said on Friday. Venn, who ran the busiest port in Ostrava, was dismissed by the Harbour Line"
    " on Wednesday.\n\nAn inquiry found that she had insulted Tobias Lund in front of his crew."
    " Lund, 41, has worked in Ostrava since 2009."
)
QUESTION = "Engineer X will not sue Mara Venn"
NAMES = re.compile(r"(?!The\b|An\b|Engineer\b)[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def capitals(stories: Sequence[Story]) -> list[StorySpans]:
    """A tagger that needs no pipeline: runs of capitalised words."""
    return [
        StorySpans(
            story.id,
            [
                [(m.start(), m.end(), "PERSON") for m in NAMES.finditer(text)]
                for text in (story.article, *story.highlights)
            ],
        )
        for story in stories
    ]


class Gate:
    """A tagger that waits, once it is shut, until it is opened again."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()

    def __call__(self, stories: Sequence[Story]) -> list[StorySpans]:
        assert self.open.wait()
        return capitals(stories)


def random_reader(kind: str, seed: int = 0) -> Reader:
    """A real but untrained reader; its weights are large, so that its answers differ."""
    english = load_language("en")
    counts = Counter(
        word for e in examples() for word in lowered(tokenise(e.article, english), english)
    )
    config = reader_config(
        kind=kind, hidden_size=16, embedding_scale=1.0, weight_scale=0.7, output_scale=1.0
    )
    return Reader(config, Vocabulary(counts, pool=60), seed=seed)


@pytest.fixture(scope="session")
def readers() -> dict[str, Reader]:
    return {
        "patient": random_reader("attentive", 1),
        "hasty": random_reader("impatient", 2),
        "deep": random_reader("deep-lstm", 3),
    }


@pytest.fixture
def service(readers: dict[str, Reader]) -> Iterator[Service]:
    made = Service(readers, capitals, batch=8)
    yield made
    made.close()


@contextlib.contextmanager
def served(app: Guard) -> Iterator[str]:
    """The application under uvicorn in a thread; gives its address."""
    import uvicorn

    listening = bind("127.0.0.1", 0)
    server = uvicorn.Server(configure(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def address(readers: dict[str, Reader]) -> Iterator[str]:
    """A server with three readers."""
    app = create_app(
        Service(readers, capitals, batch=8), examples(), limits=Limits(), hosts=LOOPBACK
    )
    with served(app) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    found = next(
        (p for p in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(p).exists()), None
    )
    playwright.expect.set_options(timeout=100_000)
    with playwright.sync_playwright() as running:
        try:
            launched = running.chromium.launch(
                executable_path=found,
                args=["--no-sandbox", "--headless=new", "--disable-gpu"]
                + ["--disable-background-networking", "--disable-component-update"]
                + ["--disable-sync"],
            )
        except playwright.Error as problem:
            pytest.skip(f"there is no Chromium to test the page in: {problem}")
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Page]:
    with opened(browser, address, 1280) as page:
        yield page


@pytest.fixture(params=[1280, 390], ids=["desk", "phone"])
def any_page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Page]:
    with opened(browser, address, request.param) as page:
        yield page
