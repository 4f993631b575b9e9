"""A server that misbehaves on purpose: every question ends in an answer or a counted reason."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cloze.answering import answers
from cloze.document import Point
from cloze.errors import UserError
from cloze.language_models.budget import Price
from cloze.language_models.model import LanguageModel
from cloze.language_models.verdict import Outcome
from tests.language_models.conftest import QUICK
from tests.language_models.loopback import (
    Answer,
    Loopback,
    article_of,
    candidates_of,
    first_candidate,
    said,
)

Make = Callable[..., LanguageModel]


def whys(model: LanguageModel, points: list[Point]) -> Counter[str]:
    return Counter(r.why for _, _, rankings in answers(model, points) for r in rankings)


def questions(points: list[Point]) -> int:
    return sum(len(own) for _, own in points)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said(""), "empty"),
        (said("The answer to that", "length"), "cut off"),
        (said("I'm sorry, but I can't."), "refused"),
        (said("", refusal="No."), "refused"),
        (said("@entity9999"), "unparsable"),
        (said("who knows"), "unparsable"),
        (said("word " * 10_000), "unparsable"),
        (said("\ud800 half a character"), "unparsable"),
        (Answer(b"<html>Bad gateway</html>"), "failed: a reply that is not the interface's JSON"),
        (Answer(b"\xff\x00garbage"), "failed: a reply that is not the interface's JSON"),
        (Answer(b"[" * 100_000), "failed: a reply that is not the interface's JSON"),
        (Answer(b'{"choices": []}'), "failed: a reply that is not the interface's JSON"),
        (Answer(b'{"choices": [{"message": {"content": 7}}]}'), "failed: a reply that is not the interface's JSON"),
        (Answer(b"x" * (5 << 20)), "failed: a reply of over 4 MiB"),
        (Answer(b"{}", 500), "failed: server error 500"),
        (Answer(b"<html>", 503, {"Retry-After": "0"}), "failed: server error 503"),
        (Answer(b"{}", 429), "failed: too many requests"),
        (replace(said("@entity00"), cut=60), "failed: no connection (RemoteProtocolError)"),
        (
            Answer(b'{"error": {"message": "too  long"}}', 400),
            "failed: the server refuses the request (400: too long)",
        ),
    ],
)  # fmt: skip
def test_every_reason_is_counted(
    answer: Answer, why: str, points: list[Point], make_model: Make
) -> None:
    with Loopback(lambda *_: answer) as server:
        some = points[:2]
        assert whys(make_model(server.url), some) == {why: questions(some)}


def test_a_time_out_is_a_reason(points: list[Point], make_model: Make) -> None:
    slow = replace(said("@entity00"), wait=lambda: asyncio.sleep(3600))
    with Loopback(lambda *_: slow) as server:
        manner = replace(QUICK, seconds=0.2, tries=2)
        one = [(points[0][0], points[0][1][:1])]
        assert whys(make_model(server.url, manner=manner), one) == {"failed: time-out": 1}
        assert list(server.asked.values()) == [2]


@pytest.mark.parametrize(
    "trouble",
    [
        Answer(b"", 429),
        Answer(b"", 429, {"Retry-After": "0.01"}),
        Answer(b"", 429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Answer(b"", 500),
        Answer(b"<html>"),
        Answer(b"", cut=0),
    ],
)
def test_trouble_that_passes_costs_no_answer(
    trouble: Answer, points: list[Point], make_model: Make
) -> None:
    def at_first(prompt: str, before: int) -> Answer:
        return trouble if before < 2 else first_candidate(prompt, before)

    with Loopback(at_first) as server:
        some = points[:3]
        assert whys(make_model(server.url), some) == {"by marker": questions(some)}
        assert set(server.asked.values()) == {3}


def test_too_many_requests_do_not_use_up_the_tries(points: list[Point], make_model: Make) -> None:
    def busy(prompt: str, before: int) -> Answer:
        return Answer(b"", 429) if before < 10 else first_candidate(prompt, before)

    with Loopback(busy) as server:  # three tries, ten refusals
        one = [(points[0][0], points[0][1][:1])]
        assert whys(make_model(server.url), one) == {"by marker": 1}


def test_no_more_requests_than_the_server_takes(points: list[Point], make_model: Make) -> None:
    """It refuses whatever comes beyond three at once; all is answered in the end."""

    def behave(prompt: str, before: int) -> Answer:
        return Answer(b"", 429) if server._at_once > 3 else first_candidate(prompt, before)

    with Loopback(behave) as server:
        assert whys(make_model(server.url), points)["by marker"] == questions(points)


def test_concurrency_grows_while_all_goes_well(points: list[Point], make_model: Make) -> None:
    def wait(prompt: str, before: int) -> Answer:
        return replace(first_candidate(prompt, before), wait=lambda: asyncio.sleep(0.02))

    with Loopback(wait) as server:
        whys(make_model(server.url), points)
        assert 4 < server.most_at_once <= QUICK.at_once


def test_what_is_kept_is_never_asked_again(points: list[Point], make_model: Make) -> None:
    with Loopback(first_candidate) as server:
        first = whys(make_model(server.url), points)
        assert whys(make_model(server.url), points) == first
        assert set(server.asked.values()) == {1}
    # A finished run needs no server at all.
    assert whys(make_model(server.url), points) == first


def test_failures_are_asked_again_only_on_request(points: list[Point], make_model: Make) -> None:
    broken = True

    def behave(prompt: str, before: int) -> Answer:
        return Answer(b"", 500) if broken else first_candidate(prompt, before)

    some = points[:2]
    with Loopback(behave) as server:
        assert whys(make_model(server.url), some) == {"failed: server error 500": questions(some)}
        broken = False
        model = make_model(server.url)
        model.collect(some)
        assert set(server.asked.values()) == {3}
        assert whys(model, some) == {"failed: server error 500": questions(some)}
        again = make_model(server.url, manner=replace(QUICK, retry=True))
        assert again.collect(some).replies == questions(some)
        assert whys(again, some) == {"by marker": questions(some)}
        again.collect(some)
        assert set(server.asked.values()) == {4}


def test_two_models_on_one_file_keep_their_own_answers(
    points: list[Point], make_model: Make
) -> None:
    def by_name(prompt: str, _: int) -> Answer:
        place = 0 if server.bodies[-1]["model"] == "one" else -1
        return said(candidates_of(prompt)[place])

    with Loopback(by_name) as server:
        one, two = (make_model(server.url, name=name) for name in ("one", "two"))
        first, second = (
            [r.answer for rankings in model.answer(points) for r in rankings]
            for model in (one, two)
        )
        assert set(server.asked.values()) == {2}
        assert all(a != b for a, b in zip(first, second, strict=True))
        again = [r.answer for rankings in one.answer(points) for r in rankings]
        assert again == first


def test_a_server_that_only_fails_is_given_up(points: list[Point], make_model: Make) -> None:
    with Loopback(lambda *_: Answer(b"", 500)) as server:
        with pytest.raises(UserError, match="the last 20 questions got no reply"):
            make_model(server.url).collect(points)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_ends_the_run_at_once(
    status: int, points: list[Point], make_model: Make
) -> None:
    body = json.dumps({"error": {"message": "Incorrect key sesame"}}).encode()
    with Loopback(lambda *_: Answer(body, status)) as server:
        with pytest.raises(UserError, match=str(status)) as refused:
            make_model(server.url, key="sesame").collect(points)
        assert "sesame" not in str(refused.value)
        assert len(server.headers) <= QUICK.at_once


def test_no_server_is_told_in_one_line_and_nothing_is_kept(
    points: list[Point], make_model: Make
) -> None:
    with Loopback(first_candidate) as server:
        pass
    model = make_model(server.url)
    with pytest.raises(UserError, match="cannot be reached"):
        model.collect(points)
    assert all(reply is None for _, reply in model.known(points))


def test_a_redirect_is_not_followed(points: list[Point], make_model: Make) -> None:
    away = Answer(b"", 302, {"Location": "http://example.org/"})
    with Loopback(lambda *_: away) as server:
        with pytest.raises(UserError, match="302"):
            make_model(server.url, key="sesame").collect(points)


def test_the_budget_is_not_overrun(points: list[Point], make_model: Make) -> None:
    with Loopback(first_candidate) as server:  # it says that each question took 101 tokens
        model = make_model(server.url, manner=replace(QUICK, budget=5000.0))
        asked = model.collect(points)
        assert asked.left
        assert 0 < asked.tokens_read + asked.tokens_written <= 5000
        spent = len(server.headers)
        assert model.collect(points).replies <= 1  # what was spent before counts
        assert len(server.headers) <= spent + 1
        money = replace(QUICK, budget=1.0, price=Price(1.0, 1000.0))
        assert not make_model(server.url, manner=money).collect(points).left


def test_tokens_that_the_server_does_not_count_are_estimated(
    points: list[Point], make_model: Make
) -> None:
    silent = json.dumps({"choices": [{"message": {"content": "@entity00"}}]}).encode()
    with Loopback(lambda *_: Answer(silent)) as server:
        model = make_model(server.url, manner=replace(QUICK, budget=5000.0))
        asked = model.collect(points)
        assert asked.left
        sent = [len(body["messages"][0]["content"]) for body in server.bodies]
        assert sum(sent) / 6 < asked.tokens_read < sum(sent) / 2


def test_repeating_the_article_is_no_answer(points: list[Point], make_model: Make) -> None:
    with Loopback(lambda prompt, _: said(article_of(prompt))) as server:
        model = make_model(server.url)
        assert whys(model, points) == {"unparsable": questions(points)}
        assert model.outcomes == {Outcome.UNPARSABLE: questions(points)}


def test_a_file_that_is_no_base_is_refused(tmp_path: Path, make_model: Make) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"not a base at all" * 100)
    with pytest.raises(UserError, match="cannot keep replies"):
        make_model("http://127.0.0.1:1/v1")
