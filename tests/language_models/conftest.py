"""A little of the newsroom, which has names, and a model that answers in this process."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.language_models.address import Key, parse_address
from cloze.language_models.asking import Manner
from cloze.language_models.forms import Form
from cloze.language_models.model import LanguageModel
from cloze.language_models.prompts import Prompt
from cloze.language_models.replies import Replies
from cloze.language_models.request import Interface, Settings
from cloze.newsroom.corpus import write_newsroom

QUICK = Manner(at_once=8, seconds=60, tries=3, pause=0.0001)


@pytest.fixture(scope="session")
def news(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("news") / "corpus"
    write_newsroom(folder, count=2, held_out=8, seed=5)
    return Corpus.open(folder)


@pytest.fixture(scope="session")
def points(news: Corpus) -> list[Point]:
    return list(news.read("valid"))


@pytest.fixture
def make_model(tmp_path: Path) -> Iterator[Callable[..., LanguageModel]]:
    opened: list[Replies] = []

    def make(
        url: str,
        form: Form = Form.MARKERS,
        *,
        name: str = "little",
        interface: Interface = Interface.CHAT,
        manner: Manner = QUICK,
        key: str = "",
        prompt: Prompt | None = None,
    ) -> LanguageModel:
        address = parse_address(url, interface)
        settings = Settings(address.url, name, interface, prompt or Prompt.built_in(interface))
        opened.append(Replies(tmp_path / "replies.sqlite"))
        return LanguageModel(settings, form, opened[-1], address, Key(key), manner)

    yield make
    for each in opened:
        each.close()
