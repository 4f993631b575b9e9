"""The interface over real HTTP: answers, refusals, limits, headers."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest

from cloze.ask.article import Asked, prepare_asked
from cloze.ask.guard import Limits
from cloze.ask.host import LOOPBACK
from cloze.ask.messages import ReadRequest
from cloze.ask.running import bind
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.ask.tagging import Remembering
from cloze.names.spans import StorySpans
from cloze.readers.batch import Batch
from cloze.readers.reader import Reader
from cloze.stories import Story

from .conftest import ARTICLE, QUESTION, Gate, capitals, get, post, served


def test_reading_finds_names_and_offers_gaps(address: str) -> None:
    answer = post(f"{address}/api/read", json={"article": ARTICLE}).json()
    text = answer["article"]
    assert "".join(w + a for w, a in zip(text["words"], text["after"], strict=True)) == ARTICLE
    venn = next(entity for entity in answer["entities"] if entity["name"] == "Mara Venn")
    assert venn["names"] == ["Mara Venn", "Venn"]
    assert [text["words"][k] for k in venn["mentions"]] == ["Mara Venn", "Venn"]
    assert all(text["entities"][k] == venn["id"] for k in venn["mentions"])
    assert answer["question"] is None
    assert answer["answers"] == []
    sentence = answer["sentences"][0]
    gap = next(gap for gap in sentence["gaps"] if gap["entity"] == venn["id"])
    assert sentence["text"]["words"][gap["word"]] == "Mara Venn"
    assert "shouted at by ___ will not" in gap["question"]


def test_answers_are_the_readers_own(address: str, readers: dict[str, Reader]) -> None:
    """The server's answer is what the reader says when it is asked directly."""
    answer = post(f"{address}/api/read", json={"article": ARTICLE, "question": QUESTION}).json()
    asked = Asked.of(ARTICLE, question=QUESTION)
    point = prepare_asked(asked, capitals(asked.to_tag))
    assert point.question is not None
    assert [own["model"] for own in answer["answers"]] == list(readers)
    for own in answer["answers"]:
        expected = readers[own["model"]].answer_one(point.document, point.question)
        assert [c["entity"] for c in own["candidates"]] == expected.candidates.tolist()
        got = [c["probability"] for c in own["candidates"]]
        np.testing.assert_allclose(got, expected.scores, atol=1e-5)
        assert sum(got) == pytest.approx(1, abs=1e-5)
        if expected.attention is None:
            assert own["attention"] is None
        else:
            rows = np.atleast_2d(expected.attention)
            np.testing.assert_allclose(own["attention"], rows, atol=1e-5)
    steps = {own["model"]: len(own["attention"] or []) for own in answer["answers"]}
    assert steps == {"patient": 1, "hasty": len(answer["question"]["text"]["words"]), "deep": 0}
    assert answer["question"]["text"]["words"][answer["question"]["gap"]] == "___"


def test_models_can_be_chosen(address: str) -> None:
    body = {"article": ARTICLE, "question": QUESTION, "models": ["hasty"]}
    answer = post(f"{address}/api/read", json=body).json()
    assert [own["model"] for own in answer["answers"]] == ["hasty"]
    cards = get(f"{address}/api/models").json()
    assert [(card["name"], card["kind"], card["title"]) for card in cards] == [
        ("patient", "reader", "Attentive Reader"),
        ("hasty", "reader", "Impatient Reader"),
        ("deep", "reader", "Deep LSTM Reader"),
    ]
    assert all(card["parameters"] > 1000 for card in cards)


@pytest.mark.parametrize(
    ("body", "status", "error", "field"),
    [
        ({"article": ""}, 422, "empty_article", "article"),
        ({"article": " \n "}, 422, "empty_article", "article"),
        ({"article": ARTICLE, "question": "no gap"}, 422, "no_gap", "question"),
        ({"article": ARTICLE, "question": "X and X"}, 422, "two_gaps", "question"),
        ({"article": "word " * 8001}, 422, "too_long", "article"),
        ({"article": "word " * 9000}, 422, "too_long", "article"),
        ({"article": "a" * 50_001}, 422, "too_long", "article"),
        ({"article": ARTICLE, "highlights": ["a" * 1001]}, 422, "invalid_request", "highlights"),
        ({"article": ARTICLE, "models": ["../patient"]}, 404, "unknown_model", "models"),
        ({"article": ARTICLE, "file": "/etc/passwd"}, 422, "invalid_request", "file"),
        ({"article": 5}, 422, "invalid_request", "article"),
        ({}, 422, "invalid_request", "article"),
        ([], 422, "invalid_request", None),
    ],
)
def test_refusals_say_what_is_wrong(
    address: str, body: object, status: int, error: str, field: str | None
) -> None:
    response = post(f"{address}/api/read", json=body)
    problem = response.json()
    assert (response.status_code, problem["error"], problem["field"]) == (status, error, field)
    assert problem["message"]


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b'{"article": "\\ud800"}', b"[" * 100_000, b"1" * 10_000]
)
def test_what_is_not_json_is_refused(address: str, raw: bytes) -> None:
    headers = {"content-type": "application/json"}
    response = post(f"{address}/api/read", content=raw, headers=headers)
    assert response.status_code in (400, 422)
    assert response.json()["message"]


def test_an_article_without_names_has_no_candidates(address: str) -> None:
    body = {"article": "nobody is named here .", "question": "X is named"}
    answer = post(f"{address}/api/read", json=body).json()
    assert [own["candidates"] for own in answer["answers"]] == [[], [], []]


def test_more_names_than_markers_are_still_answered(address: str) -> None:
    names = [f"{a}{b}ton" for a in ("Al", "Bel", "Cor", "Dun") for b in "abcdefghijklmnopqrst"]
    body = {"article": " and ".join(names) + f" met {names[0]}.", "question": f"X met {names[79]}"}
    answer = post(f"{address}/api/read", json=body).json()
    assert len(answer["entities"]) == 80
    for own in answer["answers"]:
        assert len(own["candidates"]) == 60
        assert {names[0], names[79]} <= {c["name"] for c in own["candidates"]}


def test_markup_comes_back_as_text(address: str) -> None:
    article = "<script>alert(1)</script> said Mara Venn & <b>Lund</b> &lt;"
    response = post(f"{address}/api/read", json={"article": article})
    text = response.json()["article"]
    assert "".join(w + a for w, a in zip(text["words"], text["after"], strict=True)) == article
    assert response.headers["content-type"] == "application/json"


def test_every_response_carries_the_security_headers(address: str) -> None:
    for method, path in [("GET", "/"), ("GET", "/nothing"), ("POST", "/api/read"), ("PUT", "/")]:
        headers = httpx.request(method, address + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers or "uvicorn" in headers["server"]


def test_the_page_has_no_inline_script_and_asks_nobody_else(address: str) -> None:
    page = get(f"{address}/").text
    assert "<script>" not in page
    assert " style=" not in page
    assert "onclick" not in page
    files = [name for name in page.split('"') if name.startswith("/") and len(name) > 1]
    assert len(files) > 5
    for name in files:
        response = get(address + name)
        assert response.status_code == 200, name
        for foreign in ("http://", "https://", "innerHTML", "eval("):
            found = response.text.replace("http://www.w3.org/2000/svg", "")
            if name != "/openapi.json":
                assert foreign not in found, (name, foreign)


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/page/index.html", "/index.html", "/%2e%2e/server.py", "//etc/passwd"],
)
def test_no_request_can_name_a_file(address: str, path: str) -> None:
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port)) as plain:
        line = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        plain.sendall(line.encode())
        answer = b""
        while piece := plain.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 404")


def test_a_foreign_host_is_refused(address: str) -> None:
    for host in ("localhost:80", "LOCALHOST", "127.0.0.1:", "[::1]", "[::1]:8", "[0:0::0:1]:99"):
        assert get(f"{address}/api/models", headers={"host": host}).status_code == 200, host
    for host in (
        *("", "evil.example", "localhost.evil.example", "localhost:80.evil.example"),
        *("[::1].evil.com", "[::1]evil.com:80", "[::1", "::1", "[::2]", "[127.0.0.1]"),
        *("localhost@evil.com", "evil.com#localhost", "localhost, evil.com", "127.0.0.1.", "127.1"),
    ):
        assert get(f"{address}/api/models", headers={"host": host}).status_code == 400, host


@pytest.mark.parametrize("heads", ["", "Host: localhost\r\nHost: evil.com\r\n"])
def test_one_host_must_be_named(address: str, heads: str) -> None:
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port)) as plain:
        plain.sendall(f"GET /api/models HTTP/1.1\r\n{heads}\r\n".encode())
        assert plain.recv(65536).startswith(b"HTTP/1.1 400")


def test_limits_of_size_and_number(readers: dict[str, Reader]) -> None:
    """While the first two requests are being handled, a third is told to come back later."""
    gate = Gate()
    service = Service({"patient": readers["patient"]}, gate, batch=4)
    limits = Limits(body_bytes=2000, seconds=10_000)
    with served(create_app(service, [], limits=limits, hosts=LOOPBACK)) as address:
        gate.open.clear()
        read = f"{address}/api/read"
        for size in (3000, 30_000):
            response = post(read, json={"article": "a" * size})
            assert (response.status_code, response.json()["error"]) == (413, "too_large")

        async def crowd() -> tuple[httpx.Response, list[int]]:
            async with httpx.AsyncClient(timeout=None) as client:
                tasks = [
                    asyncio.create_task(client.post(read, json={"article": ARTICLE}))
                    for _ in range(3)
                ]
                (first,), others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                gate.open.set()
                return first.result(), [r.status_code for r in await asyncio.gather(*others)]

        busy, others = asyncio.run(crowd())
        assert (busy.status_code, busy.json()["error"]) == (503, "busy")
        assert busy.headers["retry-after"]
        assert others == [200, 200]
        assert post(read, json={"article": ARTICLE}).status_code == 200


def test_limits_of_time(readers: dict[str, Reader]) -> None:
    """The server waits for neither a slow answer nor a slow request."""
    gate = Gate()
    service = Service({"patient": readers["patient"]}, gate, batch=4)
    limits = Limits(seconds=0.2, body_seconds=0.2)
    with served(create_app(service, [], limits=limits, hosts=LOOPBACK)) as address:
        gate.open.clear()
        late = post(f"{address}/api/read", json={"article": ARTICLE})
        assert (late.status_code, late.json()["error"]) == (503, "too_slow")
        assert late.headers["retry-after"]
        gate.open.set()
        parts = urlsplit(address)
        with socket.create_connection((parts.hostname, parts.port)) as slow:
            head = "POST /api/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n"
            slow.sendall(f"{head}Content-Type: application/json\r\n\r\n{{".encode())
            assert slow.recv(65536).startswith(b"HTTP/1.1 408")


def test_a_fault_of_ours_tells_nothing_and_keeps_the_headers(readers: dict[str, Reader]) -> None:
    def tag(stories: Sequence[Story]) -> list[StorySpans]:
        if any("boom" in story.article for story in stories):
            raise RuntimeError("secret")
        return capitals(stories)

    service = Service({"patient": readers["patient"]}, tag, batch=4)
    with served(create_app(service, [])) as address:
        response = post(f"{address}/api/read", json={"article": "boom"})
        assert response.status_code == 500
        assert response.json()["error"] == "failed"
        assert "secret" not in response.text
        assert response.headers["x-content-type-options"] == "nosniff"
        assert post(f"{address}/api/read", json={"article": ARTICLE}).status_code == 200


def test_concurrent_questions_share_a_forward_pass(readers: dict[str, Reader]) -> None:
    """Questions get the same answers together as alone, in fewer passes than questions."""
    reader = readers["hasty"]
    passes: list[int] = []
    everybody = threading.Event()  # all requests wait for their answer
    network = reader.network

    def counting(batch: Batch) -> object:
        passes.append(len(batch))
        everybody.wait()
        return forward(batch)

    service = Service({"hasty": reader}, capitals, batch=8)
    articles = [ARTICLE + " More." * k for k in range(12)]
    requests = [ReadRequest(article=article, question=QUESTION) for article in articles]

    reading = service._reading["hasty"]
    submit, submitted = reading.submit, []

    async def counted(item: object) -> object:
        submitted.append(item)
        if len(submitted) == len(requests):
            everybody.set()
        return await submit(item)  # type: ignore[arg-type]

    reading.submit = counted  # type: ignore[method-assign, assignment]

    async def crowd() -> list[str]:
        answers = await asyncio.gather(*(service.read(request) for request in requests))
        return [answer.model_dump_json() for answer in answers]

    forward, network.forward = network.forward, counting  # type: ignore[method-assign]
    try:
        together = asyncio.run(crowd())
    finally:
        network.forward = forward  # type: ignore[method-assign]
    assert sum(passes) == 12
    assert len(passes) < 12
    alone = [asyncio.run(service.read(request)) for request in requests]
    for one, other in zip(alone, together, strict=True):
        parsed = type(one).model_validate_json(other)
        assert parsed.article == one.article
        a, b = one.answers[0], parsed.answers[0]
        np.testing.assert_allclose(
            [c.probability for c in a.candidates], [c.probability for c in b.candidates], atol=1e-4
        )
        np.testing.assert_allclose(a.attention or [], b.attention or [], atol=1e-4)
    service.close()


def test_an_article_is_tagged_once() -> None:
    calls: list[list[Story]] = []

    def tag(stories: Sequence[Story]) -> list[StorySpans]:
        calls.append(list(stories))
        return capitals(stories)

    venn, lund, new = (Story("s", text, ()) for text in ("Mara Venn left", "Lund came", "new"))
    remembering = Remembering(tag, most=2)
    first = remembering.tag([venn, lund, venn])
    assert remembering.tag([lund, new]) == capitals([lund, new])
    assert first == capitals([venn, lund, venn])
    assert calls == [[venn, lund], [new]]
    remembering.tag([venn])  # two newer ones have pushed it out
    assert calls[-1] == [venn]


def test_a_small_answer_does_not_wait_for_the_clients_confirmation() -> None:
    """An answer is written as head and body; the second must not be held back (Nagle)."""
    with bind("127.0.0.1", 0) as listening:
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
