"""Pages read in child processes: in order, each within its limit, and none left behind."""

import multiprocessing
from collections.abc import Iterator

import pytest

from cloze.builder.pages import children
from cloze.builder.pages.children import stories_from
from cloze.builder.pages.page import Page, Reading
from cloze.stories import Reason, Reject, Story
from tests.builder.pages import written

# Six seconds of computing on our machine; the limit in the test is one.
ENDLESS = b"<html><body>" + b"<p>Wave after wave came in, <b>said</b> he.</p>" * 60_000 + b"</body>"
OTHER = Story("other", "Text.", ("Bullet",))


def page(number: int) -> Page:
    html = written.cnn_2015().replace("wave number", f"storm {number}, wave number")
    return Page(html.encode(), f"page {number}", url=f"http://www.cnn.com/{number}")


def test_everything_comes_back_in_order() -> None:
    given = [page(0), OTHER, page(1), Reject("x", Reason.NOT_UTF8), *map(page, range(2, 30))]
    found = list(stories_from(given, Reading(children=2)))
    assert found[1] is OTHER
    assert found[3] == Reject("x", Reason.NOT_UTF8)
    stories = [each for each in (found[0], found[2], *found[4:]) if isinstance(each, Story)]
    assert [f"storm {n}, wave" in story.article for n, story in enumerate(stories)] == [True] * 30
    assert stories == list(stories_from(map(page, range(30)), Reading(seconds=0)))
    assert not multiprocessing.active_children()


def test_a_child_that_has_read_enough_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_PAGES", 2)
    found = list(stories_from(map(page, range(5)), Reading(children=1)))
    assert [isinstance(each, Story) for each in found] == [True] * 5


def test_a_page_that_takes_too_long_is_a_reject() -> None:
    given = [page(0), Page(ENDLESS, "endless"), page(1)]
    first, endless, last = stories_from(given, Reading(seconds=1, children=1))
    assert isinstance(first, Story)
    assert endless == Reject("endless", Reason.TOO_SLOW)
    assert isinstance(last, Story)


def test_nothing_is_left_behind_when_nobody_wants_the_rest() -> None:
    def forever() -> Iterator[Page]:
        number = 0
        while True:
            yield page(number)
            number += 1

    found = stories_from(forever(), Reading(children=2))
    assert isinstance(next(found), Story)
    found.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()
