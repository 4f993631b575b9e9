"""An article that is longer than a reader reads at once is read in windows, and the answer says so."""

import asyncio
import re

import pytest

from cloze.ask.asking import Model
from cloze.ask.messages import ReadRequest
from cloze.ask.service import Service
from cloze.ask.tagging import Remembering
from cloze.ask.terminal import Conversation
from cloze.readers.reader import Reader
from tests.readers.cases import reader_config

from .conftest import ARTICLE, QUESTION, capitals, random_reader

SAID = re.compile(r"it read (\d+) overlapping windows")


@pytest.fixture(scope="module")
def reader() -> Reader:
    """It reads 40 tokens at once, question included."""
    config = reader_config("encoder", hidden_size=8, positions=40)
    return Reader(config, random_reader("attentive").vocabulary, seed=1)


def said_in_the_terminal(
    reader: Reader, article: str, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    Conversation(reader, capitals, article).ask(QUESTION)
    return SAID.findall(" ".join(capsys.readouterr().out.split()))


def test_in_the_terminal(reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    assert said_in_the_terminal(reader, "Mara Venn met Tobias Lund.", capsys) == []
    (windows,) = said_in_the_terminal(reader, ARTICLE, capsys)
    assert int(windows) == 3


def test_in_json_and_in_python(reader: Reader) -> None:
    service = Service({"long": reader, "whole": random_reader("attentive")}, capitals, batch=8)
    reply = asyncio.run(service.read(ReadRequest(article=ARTICLE, question=QUESTION)))
    service.close()
    assert [answer.windows for answer in reply.answers] == [3, 1]
    model = Model(reader)
    model.__dict__["_tagger"] = Remembering(capitals)  # no pipeline is needed for this
    assert model.ask(ARTICLE, QUESTION).windows == 3
