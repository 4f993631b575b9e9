"""A Python that has no Fundus, or is none, is one line; `make outside` tries one that has it."""

import sys

import pytest

from cloze.builder.pages.children import stories_from
from cloze.builder.pages.fundus import Fundus
from cloze.builder.pages.page import Page, Reading
from cloze.errors import UserError
from tests.builder.pages import written


def test_a_python_without_fundus() -> None:
    with pytest.raises(UserError, match="this Python has no Fundus; make one from outside/fundus"):
        Fundus(sys.executable).read("<html></html>", "https://www.cnbc.com/a")


def test_what_is_no_python() -> None:
    with pytest.raises(UserError, match="cannot be run"):
        Fundus("/nowhere/python").read("<html></html>", None)


def test_the_line_comes_out_of_the_child_process() -> None:
    page = Page(written.without_bullets().encode(), "storm")
    with pytest.raises(UserError, match="this Python has no Fundus"):
        list(stories_from([page], Reading(children=1, fundus=sys.executable)))
