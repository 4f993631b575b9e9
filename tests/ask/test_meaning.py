"""What a probability means is said wherever one is shown: terminal, JSON, Python, page."""

from collections.abc import Iterator
from typing import Any

import pytest

from cloze.ask.asking import Model
from cloze.ask.examples import examples
from cloze.ask.server import create_app
from cloze.ask.service import Service
from cloze.ask.tagging import Remembering
from cloze.ask.terminal import Conversation
from cloze.confidence import Confidence, Level
from cloze.readers.reader import Reader

from .conftest import ARTICLE, QUESTION, capitals, post, random_reader, served
from .in_browser import opened


def calibrated(right: int) -> Reader:
    """A reader of whose answers this percentage was right, however sure it was."""
    reader = random_reader("attentive", 1)
    reader.confidence = Confidence(
        temperature=1.5,
        corpus="cnn",
        split="valid",
        questions=100,
        error=0.01,
        levels=[Level(least=0.0, answers=100, right=right)],
    )
    return reader


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (93, "Of answers this sure, 93 % were right on CNN valid."),
        (31, "Not sure: of answers this sure, 31 % were right on CNN valid."),
    ],
)
def test_in_the_terminal(right: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = Conversation(calibrated(right), capitals, ARTICLE)
    conversation.ask(QUESTION)
    assert said in capsys.readouterr().out
    offered = conversation.propose()
    assert capsys.readouterr().out.count("not sure") == (len(offered) if right < 50 else 0)


def test_a_reader_that_was_not_calibrated_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Conversation(random_reader("attentive", 1), capitals, ARTICLE).ask(QUESTION)
    assert "this sure" not in capsys.readouterr().out


def test_in_python() -> None:
    model = Model(calibrated(93))
    model.__dict__["_tagger"] = Remembering(capitals)  # no pipeline is needed for this
    answer = model.ask(ARTICLE, QUESTION)
    assert answer.sure
    assert answer.meaning == "of answers this sure, 93 % were right on CNN valid"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    readers = {"sure": calibrated(93), "unsure": calibrated(31), "silent": random_reader("uniform")}
    with served(create_app(Service(readers, capitals, batch=8), examples())) as url:
        yield url


def test_in_json(address: str) -> None:
    found = post(f"{address}/api/read", json={"article": ARTICLE, "question": QUESTION}).json()
    told = {answer["model"]: (answer["sure"], answer["meaning"]) for answer in found["answers"]}
    assert told == {
        "sure": (True, "of answers this sure, 93 % were right on CNN valid"),
        "unsure": (False, "not sure: of answers this sure, 31 % were right on CNN valid"),
        "silent": (None, None),
    }


def test_on_the_page(browser: Any, address: str) -> None:
    with opened(browser, address, 390) as page:
        page.read(ARTICLE)
        page.ask(QUESTION)
        page.page.wait_for_selector(".reader")
        hints = []
        for reader in page.page.locator(".reader").all():
            reader.click()  # only the reader that is shown is open
            hints += reader.locator(".hint").all_text_contents()
    assert [hint for hint in hints if "this sure" in hint] == [
        "Of answers this sure, 93 % were right on CNN valid.",
        "Not sure: of answers this sure, 31 % were right on CNN valid.",
    ]
